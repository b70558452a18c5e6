// SPDX-License-Identifier: BSD-3-Clause
// What a reader must know of an SPE run before believing its numbers: how operations were chosen, what was lost, what
// the core does not tell. Called by spe_text.cpp and spe_json.cpp.
#pragma once
#include <string>
#include <vector>

#include "analysis/operations/spe_profile.h"

namespace wperf::report {

// Sentences, most important first; without "note: ".
std::vector<std::string> spe_notes(const operations::SpeProfile& profile);

}  // namespace wperf::report
