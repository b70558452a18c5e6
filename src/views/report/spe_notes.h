// SPDX-License-Identifier: BSD-3-Clause
// Facts that a reader must know about an SPE run before believing its numbers: how operations were chosen, how many
// were lost, which facts the core does not record.
#pragma once
#include <string>
#include <vector>

#include "analysis/operations/spe_profile.h"

namespace wperf::report {

// Sentences, most important first; without "note: ".
std::vector<std::string> spe_notes(const operations::SpeProfile& profile);

}  // namespace wperf::report
