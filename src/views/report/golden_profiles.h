// SPDX-License-Identifier: BSD-3-Clause
// The profiles of the golden files, and the comparison with them. For tests only.
#pragma once
#include <string>
#include <string_view>

#include "model/answers/count_profile.h"

namespace wperf::report::testing {

answers::CountProfile one_core_plain();
answers::CountProfile two_cores_multiplexed();  // groups and Telemetry Solution metrics
answers::CountProfile four_cores_dsu();         // l3_cache
answers::CountProfile one_core_dmc();           // ddr_bw, no core events
answers::CountProfile nothing();
answers::TimelineProfile timeline_of(answers::CountProfile first);  // three counts, the values grow

// Compares byte by byte with tests/golden/NAME; with WPERF_UPDATE_GOLDEN=1 in the environment writes the file instead.
void expect_golden(std::string_view name, const std::string& actual);

}  // namespace wperf::report::testing
