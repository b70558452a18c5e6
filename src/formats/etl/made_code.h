// SPDX-License-Identifier: BSD-3-Clause
// Code that programs made as they ran, as their runtimes tell it: methods of .NET, functions of JavaScript engines.
#pragma once
#include <optional>
#include <string>

#include "formats/etl/event.h"

namespace wperf::etl {

struct MadeCodeEvent {
  bool was_there = false;  // told by a rundown: nobody knows since when
  u64 begin = 0, size = 0;
  std::string name;
};
// Nothing: another event. What says that code went away is none either: what is made at its place replaces it.
std::optional<MadeCodeEvent> made_code_event(const Event& event);

}  // namespace wperf::etl
