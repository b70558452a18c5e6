// SPDX-License-Identifier: BSD-3-Clause
// Events about code that programs made at run time, as their runtimes report it: methods of .NET, functions of
// JavaScript engines, and functions of Python if the program runs with python-etwtrace.
#pragma once
#include <optional>
#include <string>

#include "formats/etl/event.h"

namespace wperf::etl {

struct MadeCodeEvent {
  bool was_there = false;  // from a rundown: its start is unknown
  u64 begin = 0, size = 0;
  std::string name;
  std::string file = {};  // of a function of Python; empty for other runtimes
};
// nullopt for another event. Events about code that went away are ignored, too: new code at its place replaces it.
std::optional<MadeCodeEvent> made_code_event(const Event& event);

}  // namespace wperf::etl
