// SPDX-License-Identifier: BSD-3-Clause
// Counts over time as a page: each counter as a graph, pauses between counts as gaps, and all numbers as tables that
// need no scripts. A pure function.
#pragma once
#include <string>

#include "model/answers/count_profile.h"
#include "model/stacks/recording_about.h"

namespace wperf::html {

// `about`: of whom and by whom; its image is the program that was counted, if it was one.
std::string count_page(const answers::TimelineProfile& timeline, const stacks::RecordingAbout& about);

}  // namespace wperf::html
