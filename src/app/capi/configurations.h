// SPDX-License-Identifier: BSD-3-Clause
// The configurations of the C API → what the rest of wperf calls a request. Checks what the command line would have
// checked; whether names exist is for plan to say. Called by Session.
#pragma once
#include <vector>

#include "ground/diag/result.h"
#include "include/wperf/wperf.h"
#include "model/request/request.h"

namespace wperf::capi {

diag::Result<request::Request> stat_request(const STAT_CONF& conf);
diag::Result<request::Request> sample_request(const SAMPLE_CONF& conf);
diag::Result<request::Request> test_request(const TEST_CONF& conf);
// Has the machine all cores of a count? In words of the field `cores`, where plan's are those of an option.
diag::Result<void> check_cores(const std::vector<request::CoreRange>& cores, u32 core_count);

}  // namespace wperf::capi
