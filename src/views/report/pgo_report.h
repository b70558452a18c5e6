// SPDX-License-Identifier: BSD-3-Clause
// The verdict of `pgo` as text and JSON: the contents of the profile, the unused samples, and whether the profile is
// good enough. Pure.
#pragma once
#include <string>

#include "analysis/pgo/made_profile.h"

namespace wperf::report {

std::string pgo_text(const pgo::ProfileFacts& facts);
std::string pgo_json(const pgo::ProfileFacts& facts);

}  // namespace wperf::report
