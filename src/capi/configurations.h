// SPDX-License-Identifier: BSD-3-Clause
// The configurations of the C API → what the rest of wperf calls a request. Checks what the command line would have
// checked; whether names and cores exist is for plan to say. Called by Session.
#pragma once
#include "diag/result.h"
#include "include/wperf/wperf.h"
#include "request/request.h"

namespace wperf::capi {

diag::Result<request::Request> stat_request(const STAT_CONF& conf);
diag::Result<request::Request> sample_request(const SAMPLE_CONF& conf);
diag::Result<request::Request> test_request(const TEST_CONF& conf);

}  // namespace wperf::capi
