// SPDX-License-Identifier: BSD-3-Clause
// What SPE tells of memory, as tables that need no scripts; with them they are a view of their own. Called by
// html_report.
#pragma once
#include <string>

#include "analysis/operations/spe_profile.h"

namespace wperf::html {

void append_memory_part(std::string& out, const operations::SpeProfile& profile);

}  // namespace wperf::html
