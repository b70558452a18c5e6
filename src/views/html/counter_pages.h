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
// need no scripts. `about`: facts about the run; about.image is the counted program, if any.
std::string count_page(const answers::TimelineProfile& timeline, const stacks::RecordingAbout& about);

// How a program used its issue slots: the tree with bars, the verdict in words, the functions that lost slots. Needs no
// scripts.
std::string topdown_page(std::span<const report::Topdown> kinds);

}  // namespace wperf::html
