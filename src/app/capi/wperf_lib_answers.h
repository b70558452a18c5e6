// SPDX-License-Identifier: BSD-3-Clause
// Rows of wperf.h → rows of wperf-lib.h. The texts are those of the original row.
#pragma once
#include "app/capi/answers.h"
#include "app/capi/rows.h"
#include "app/capi/wperf_lib.h"
#include "model/answers/test_answer.h"

namespace wperf::capi {

inline constexpr u16 kLibCycleCounter = 0xffff;

lib::EVENT_INFO lib_row(const EVENT_INFO& row);
lib::METRIC_INFO lib_row(const METRIC_INFO& row);
lib::STAT_INFO lib_row(const STAT_INFO& row);
lib::SAMPLE_INFO lib_row(const SampleRow& row);
lib::ANNOTATE_INFO lib_row(const LineRow& row);
// The schedule of the cores has a row for each event.
Rows<lib::TEST_INFO> lib_test_rows(pmu::Product product, const answers::TestReport& report);

}  // namespace wperf::capi
