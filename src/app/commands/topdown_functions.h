// SPDX-License-Identifier: BSD-3-Clause
// The sampled functions of a top-down search, their hottest lines, and why names are missing.
#pragma once
#include <string>
#include <vector>

#include "model/stacks/stack_profile.h"
#include "views/report/topdown_report.h"

namespace wperf::commands {

void add_functions(const stacks::StackProfile& profile, report::TopdownSamples& where);
// Each module with samples whose functions have no names, once.
void note_nameless(const stacks::StackProfile& profile, std::vector<std::string>& notes);

}  // namespace wperf::commands
