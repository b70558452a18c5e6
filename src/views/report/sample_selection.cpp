// SPDX-License-Identifier: BSD-3-Clause
#include "views/report/sample_selection.h"

#include <algorithm>

namespace wperf::report {
ShownRows shown_rows(const compat::CompatView& view, const compat::SampledEvent& event, const SampleOptions& options) {
  ShownRows shown;
  shown.rows = compat::choose_rows(view, event, options.rows, options.symbol);
  shown.total_rows = static_cast<u32>(std::min<usize>(options.rows, event.rows.size()));
  for (u32 i = 0; i < shown.total_rows; ++i) shown.total_count += event.rows[i].count;
  return shown;
}

double percent(u64 part, u64 whole) {
  return whole == 0 ? 0 : 100.0 * static_cast<double>(part) / static_cast<double>(whole);
}

bool has_samples(const compat::CompatView& view) {
  return std::any_of(view.events.begin(), view.events.end(),
                     [](const compat::SampledEvent& event) { return event.samples != 0; });
}

}  // namespace wperf::report
