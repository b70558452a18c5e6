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
  u64 known = 0;                   // number of instructions in the program's loop
  u64 counted = 0;                 // counted instructions in user mode
  bool own_program_only = false;   // the counts include only the program
  std::optional<u64> with_kernel;  // the count including the kernel; nullopt: see below
  std::string why_no_filter;
};
std::vector<answers::Finding> judge_counts(const CountedWork& work);

struct SampledWork {
  const stacks::StackProfile& user;                   // without the kernel, if the device can exclude it
  const stacks::StackProfile* with_kernel = nullptr;  // null: see below
  std::string why_no_filter, why_no_stacks;           // empty if the device can do it
};
std::vector<answers::Finding> judge_samples(const SampledWork& work);

}  // namespace wperf::doctor
