// SPDX-License-Identifier: BSD-3-Clause
// Converts wperf's answers to rows of the C API. Pure functions.
#pragma once
#include <span>

#include "app/capi/rows.h"
#include "ground/diag/result.h"
#include "include/wperf/wperf.h"
#include "machine/plan/plan.h"
#include "model/answers/count_profile.h"
#include "model/answers/tool_answers.h"
#include "views/compat/compat_rows.h"

namespace wperf::capi {

// `types`: WPERF_LIST_*. `kernel` is null on devices without event names of a kernel.
Rows<EVENT_INFO> event_rows(const plan::EventCatalog& catalog, const plan::KernelEvents* kernel, u32 types);

struct MetricRows {
  Rows<METRIC_INFO> rows;
  size_t metrics = 0;  // the number of metrics that have rows
};
diag::Result<MetricRows> metric_rows(const plan::EventCatalog& catalog);

Rows<STAT_INFO> stat_rows(std::span<const answers::CountProfile> counts);
Rows<STAT_METRIC_INFO> stat_metric_rows(std::span<const answers::CountProfile> counts);

// Selects the part of a profile that is returned.
struct SampleSelection {
  u32 most_functions = ~u32{0};  // for each event
  compat::NameFilter symbol;
};
// Includes the event's number, which wperf-lib.h uses.
struct SampleRow : SAMPLE_INFO {
  u16 code = 0;
};
struct LineRow : ANNOTATE_INFO {
  u16 code = 0;
};
Rows<SampleRow> sample_rows(const compat::CompatView& view, const SampleSelection& selection);
Rows<LineRow> annotate_rows(const compat::CompatView& view, const SampleSelection& selection);

Rows<TEST_INFO> test_rows(pmu::Product product, const answers::TestReport& report);

}  // namespace wperf::capi
