// SPDX-License-Identifier: BSD-3-Clause
// Converts configurations of wperf-lib.h to requests, and rows of wperf.h to rows of wperf-lib.h.
#pragma once
// All headers that wperf-lib.h includes, so that the namespace below gets only the types of wperf-lib.h itself.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cwchar>

#include "app/capi/answers.h"
#include "app/capi/rows.h"
#include "ground/diag/result.h"
#include "include/wperf/wperf.h"
#include "model/answers/tool_answers.h"
#include "model/request/request.h"

// The types of wperf-lib.h are in a separate namespace, because wperf.h uses the same names for other layouts.
#define WPERF_LIB_TYPES_ONLY
namespace wperf::capi::lib {
#include "include/wperf/wperf-lib.h"
}

namespace wperf::capi {

// Converts rows. The new row points to the texts of the original row.
inline constexpr u16 kLibCycleCounter = 0xffff;

lib::EVENT_INFO lib_row(const EVENT_INFO& row);
lib::METRIC_INFO lib_row(const METRIC_INFO& row);
lib::STAT_INFO lib_row(const STAT_INFO& row);
lib::SAMPLE_INFO lib_row(const SampleRow& row);
lib::ANNOTATE_INFO lib_row(const LineRow& row);
// The result has a row for each event in the schedule of the cores.
Rows<lib::TEST_INFO> lib_test_rows(pmu::Product product, const answers::TestReport& report);

// Converts configurations of wperf-lib.h to requests. Fields that wperf.h also has are first converted to a
// configuration of wperf.h.
diag::Result<request::Request> lib_stat_request(const lib::STAT_CONF& conf);
diag::Result<request::Request> lib_sample_request(const lib::SAMPLE_CONF& conf);
diag::Result<request::Request> lib_test_request(const lib::TEST_CONF& conf);

}  // namespace wperf::capi
