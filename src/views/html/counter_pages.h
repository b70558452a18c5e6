// SPDX-License-Identifier: BSD-3-Clause
// HTML pages of counts. Pure.
#pragma once
#include <span>
#include <string>

#include "model/answers/count_profile.h"
#include "model/stacks/recording_about.h"
#include "views/report/topdown_report.h"

namespace wperf::html {

// Counts over time: each counter as a graph with gaps for the pauses between counts, and all numbers as tables that
// need no scripts. `about`: facts about the run; its image is the counted program, if there is one.
std::string count_page(const answers::TimelineProfile& timeline, const stacks::RecordingAbout& about);

// Where a program's slots went: the tree with bars, the verdict in words, the functions that lost the slots. Needs no
// scripts.
std::string topdown_page(std::span<const report::Topdown> kinds);

}  // namespace wperf::html
