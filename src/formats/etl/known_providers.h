// SPDX-License-Identifier: BSD-3-Clause
// The names of providers and their events that are known without the trace: the kernel's groups, and common providers
// of Windows.
#pragma once
#include <string>
#include <string_view>

#include "formats/etl/event.h"

namespace wperf::etl {

// The GUID in lower case, without braces.
std::string guid_text(const Guid& id);

// Returns an empty name if the provider is not known here.
std::string_view provider_name(const Guid& id);
std::string_view kernel_group_name(u8 group);
// For the kernel's events, which have a group and an opcode.
std::string_view kernel_event_name(u8 group, u8 opcode);

}  // namespace wperf::etl
