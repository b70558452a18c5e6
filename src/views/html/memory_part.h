// SPDX-License-Identifier: BSD-3-Clause
// SPE's data about memory, as tables that need no scripts; with scripts they are a separate view.
#pragma once
#include <string>

#include "analysis/operations/spe_profile.h"

namespace wperf::html {

void append_memory_part(std::string& out, const operations::SpeProfile& profile);

}  // namespace wperf::html
