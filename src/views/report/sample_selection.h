// SPDX-License-Identifier: BSD-3-Clause
// Which rows of an event are shown, and the numbers in the total line.
#pragma once
#include <vector>

#include "views/compat/compat_rows.h"
#include "views/report/sample_report.h"

namespace wperf::report {

struct ShownRows {
  std::vector<const compat::SymbolRow*> rows;  // the ones that pass the filter, at most SampleOptions::rows
  u32 total_rows = 0;                          // the total line counts the hottest rows whether they pass or not
  u64 total_count = 0;
};
ShownRows shown_rows(const compat::CompatView& view, const compat::SampledEvent& event, const SampleOptions& options);

double percent(u64 part, u64 whole);
bool has_samples(const compat::CompatView& view);

}  // namespace wperf::report
