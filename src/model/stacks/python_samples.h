// SPDX-License-Identifier: BSD-3-Clause
// The samples of Python programs: those whose stacks have the programs' own functions, and the others by reason.
#pragma once
#include <string>

#include "base/ints.h"

namespace wperf::stacks {

struct PythonSamples {
  std::string versions;  // of the interpreters: "3.11"; empty: there was none
  u64 joined = 0;
  u64 outside = 0;        // the thread ran no Python code at that moment
  u64 changed = 0;        // the thread had gone on before its frames were read
  u64 other_shape = 0;    // the frames do not match the interpreter's calls on the native stack
  u64 unread = 0;         // they could not be read
  u64 without_stack = 0;  // there is no whole native stack
  u64 not_joined() const { return changed + other_shape + unread + without_stack; }
};

}  // namespace wperf::stacks
