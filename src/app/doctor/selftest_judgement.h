// SPDX-License-Identifier: BSD-3-Clause
// Compares measurements of wperf-selftest with its known work (selftest_program.c). Pure.
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/ints.h"
#include "model/answers/tool_answers.h"
#include "model/stacks/stack_profile.h"

namespace wperf::doctor {

inline constexpr std::string_view kSelftestProgram = "wperf-selftest";

struct CountedWork {
  u64 known = 0;                   // instructions that the program's loop has
  u64 counted = 0;                 // in user mode
  bool own_program_only = false;   // nothing but the program was counted
  std::optional<u64> with_kernel;  // the same with the kernel; nothing: see below
  std::string why_no_filter;
};
std::vector<answers::Finding> judge_counts(const CountedWork& work);

struct SampledWork {
  const stacks::StackProfile& user;                   // the kernel was to be left out, where the device can
  const stacks::StackProfile* with_kernel = nullptr;  // null: see below
  std::string why_no_filter, why_no_stacks;           // empty: the device can
};
std::vector<answers::Finding> judge_samples(const SampledWork& work);

}  // namespace wperf::doctor
