// SPDX-License-Identifier: BSD-3-Clause
// For tests only: the profiles of the golden files, comparisons with these files, and checks of documents.
#pragma once
#include <nlohmann/json.hpp>
#include <regex>
#include <set>
#include <string>
#include <string_view>

#include "analysis/operations/spe_profile.h"
#include "model/answers/count_profile.h"
#include "views/compat/compat_rows.h"

namespace wperf::report {

// Checks of texts and JSON documents that several tests need.
using Keys = std::set<std::string>;

inline bool finds(const std::string& text, const std::string& pattern) {
  return std::regex_search(text, std::regex(pattern));
}

inline Keys keys_of(const nlohmann::json& object) {
  Keys keys;
  for (const auto& [key, value] : object.items()) keys.insert(key);
  return keys;
}

}  // namespace wperf::report

namespace wperf::report::testing {

answers::CountProfile one_core_plain();
answers::CountProfile two_cores_multiplexed();  // groups and Telemetry Solution metrics
answers::CountProfile four_cores_dsu();         // l3_cache
answers::CountProfile one_core_dmc();           // ddr_bw, without core events
answers::CountProfile nothing();
answers::TimelineProfile timeline_of(answers::CountProfile first);  // three counts with increasing values

// Compares byte by byte with tests/golden/NAME. If the environment has WPERF_UPDATE_GOLDEN=1, writes the file instead.
void expect_golden(std::string_view name, const std::string& actual);

// Two events on one core: a hot function in a DLL, unknown addresses, another process, lines and code.
compat::CompatView two_events_sampled();
// Three cores, callers, time slices, lost samples, modules without PDB.
compat::CompatView three_cores_sampled();
compat::CompatView nothing_sampled();
// This many functions, with lines and code, for documents of any size.
compat::CompatView many_functions_sampled(u32 functions);

// Loads of two kinds and branches on one core, with the counters of the core.
operations::SpeProfile loads_and_branches();
answers::CountProfile population_counted();
// The same with memory: three data sources, stores without a source, a line that two threads compete for, losses.
operations::SpeProfile memory_sampled();
// WindowsPerf's view of either profile.
compat::CompatView view_of(const operations::SpeProfile& profile);

}  // namespace wperf::report::testing
