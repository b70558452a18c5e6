// SPDX-License-Identifier: BSD-3-Clause
// Names of providers and events that a trace need not contain: the kernel's groups, and common providers of Windows.
#pragma once
#include <string>
#include <string_view>

#include "formats/etl/event.h"

namespace wperf::etl {

// The GUID in lower case, without braces.
std::string guid_text(const Guid& id);

// Returns an empty name if the provider is not in the list.
std::string_view provider_name(const Guid& id);
std::string_view kernel_group_name(u8 group);
// For the kernel's events, which have a group and an opcode.
std::string_view kernel_event_name(u8 group, u8 opcode);

}  // namespace wperf::etl
