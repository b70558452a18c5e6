// SPDX-License-Identifier: BSD-3-Clause
// Counts taken during SPE, read from a recording. Tables can be made of any numbers.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>

#include "app/measure/spe_counts.h"
#include "views/report/count_report.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace wperf;
  const auto facts = perf_data::read_run_facts(std::as_bytes(std::span(data, size)));
  if (!facts.has_value() || !facts->counted.has_value()) return 0;
  const answers::CountProfile counting = measure::counted_profile(*facts->counted);
  if (report::count_text(counting, {}).empty() || report::count_json(counting).empty()) std::abort();
  static_cast<void>(measure::population_of(counting));
  return measure::recorded_of_cores(counting, {{.core = 1}, {.core = 2}}).size() == 2 ? 0 : 1;
}
