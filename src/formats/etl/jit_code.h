// SPDX-License-Identifier: BSD-3-Clause
// Events about code that programs generated at run time, as reported by their runtimes: methods of .NET, functions of
// JavaScript engines, and functions of Python if the program runs with python-etwtrace.
#pragma once
#include <optional>
#include <string>

#include "formats/etl/event.h"

namespace wperf::etl {

struct JitCodeEvent {
  bool was_there = false;  // from a rundown: the time at which the code was generated is unknown
  u64 begin = 0, size = 0;
  std::string name;
  std::string file = {};  // the file of a Python function; empty for other runtimes
};
// Returns nullopt for another event. Events about removed code are ignored, too, because new code at the same place
// replaces it anyway.
std::optional<JitCodeEvent> jit_code_event(const Event& event);

}  // namespace wperf::etl
