// SPDX-License-Identifier: BSD-3-Clause
// The samples of Python programs: how many have Python functions in their stacks, and why the others do not.
#pragma once
#include <string>

#include "base/ints.h"

namespace wperf::stacks {

struct PythonSamples {
  std::string versions;  // versions of the interpreters: "3.11"; empty: there was no interpreter
  u64 joined = 0;
  u64 outside = 0;        // the thread ran no Python code at that moment
  u64 changed = 0;        // the thread moved on before its frames were read
  u64 other_shape = 0;    // the Python frames do not match the interpreter's calls on the native stack
  u64 unread = 0;         // the frames could not be read
  u64 without_stack = 0;  // the native stack is incomplete
  u64 cut = 0;            // joined, but only with the innermost functions, because there are too many
  u64 not_joined() const { return changed + other_shape + unread + without_stack; }
};

}  // namespace wperf::stacks
