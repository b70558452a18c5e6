// SPDX-License-Identifier: BSD-3-Clause
// Events of providers that are known without the trace: their names, and code that runtimes made.
#pragma once
#include <optional>
#include <string>
#include <string_view>

#include "formats/etl/event.h"

namespace wperf::etl {

// The names of providers and their events that are known without the trace: the kernel's groups, and common providers
// of Windows.

// Small letters, without braces.
std::string guid_text(const Guid& id);

// Empty if it is not known here.
std::string_view provider_name(const Guid& id);
std::string_view kernel_group_name(u8 group);
// For the kernel's events, which have a group and an opcode.
std::string_view kernel_event_name(u8 group, u8 opcode);

// Code that programs made at run time, as their runtimes report it: methods of .NET, functions of JavaScript engines.
struct MadeCodeEvent {
  bool was_there = false;  // from a rundown: its start is unknown
  u64 begin = 0, size = 0;
  std::string name;
};
// nullopt for another event. Events about code that went away are ignored, too: new code at its place replaces it.
std::optional<MadeCodeEvent> made_code_event(const Event& event);

}  // namespace wperf::etl
