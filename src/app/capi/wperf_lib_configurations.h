// SPDX-License-Identifier: BSD-3-Clause
// The configurations of wperf-lib.h → requests, by way of those of wperf.h if both have the same fields.
#pragma once
#include "app/capi/wperf_lib.h"
#include "ground/diag/result.h"
#include "model/request/request.h"

namespace wperf::capi {

diag::Result<request::Request> lib_stat_request(const lib::STAT_CONF& conf);
diag::Result<request::Request> lib_sample_request(const lib::SAMPLE_CONF& conf);
diag::Result<request::Request> lib_test_request(const lib::TEST_CONF& conf);

}  // namespace wperf::capi
