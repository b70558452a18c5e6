// SPDX-License-Identifier: BSD-3-Clause
// Pages of counts. Pure.
#pragma once
#include <span>
#include <string>

#include "model/answers/count_profile.h"
#include "model/stacks/recording_about.h"
#include "views/report/topdown_report.h"

namespace wperf::html {

// Counts over time: each counter as a graph, pauses between counts as gaps, and all numbers as tables that need no
// scripts. `about`: of whom and by whom; its image is the program that was counted, if it was one.
std::string count_page(const answers::TimelineProfile& timeline, const stacks::RecordingAbout& about);

// Where a program's slots went: the tree with bars, the verdict in words, the functions that lost the slots. No
// script.
std::string topdown_page(std::span<const report::Topdown> kinds);

}  // namespace wperf::html
