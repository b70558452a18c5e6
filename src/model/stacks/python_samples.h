// SPDX-License-Identifier: BSD-3-Clause
// The samples of Python programs: how many have Python functions in their stacks, and why other samples have none.
#pragma once
#include <algorithm>
#include <array>
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
  u64 new_thread = 0;     // the thread had just started, and its frames were not found yet
  u64 early = 0;          // the process had just started or loaded the interpreter, which was not found yet
  u64 cut = 0;            // joined with only the innermost functions, because there are too many
  u64 not_joined() const { return changed + other_shape + unread + without_stack + new_thread + early; }

  void add(const PythonSamples& other) {
    if (!other.versions.empty()) versions = other.versions;
    for (u64 PythonSamples::* const one : kCounts) this->*one += other.*one;
  }
  // The samples since an earlier state of the same counters.
  PythonSamples since(const PythonSamples& earlier) const {
    PythonSamples out = *this;
    for (u64 PythonSamples::* const one : kCounts) out.*one -= std::min(out.*one, earlier.*one);
    return out;
  }

 private:
  static const std::array<u64 PythonSamples::*, 9> kCounts;
};
inline constexpr std::array<u64 PythonSamples::*, 9> PythonSamples::kCounts = {
    &PythonSamples::joined,      &PythonSamples::outside, &PythonSamples::changed,
    &PythonSamples::other_shape, &PythonSamples::unread,  &PythonSamples::without_stack,
    &PythonSamples::new_thread,  &PythonSamples::early,   &PythonSamples::cut};

}  // namespace wperf::stacks
