// SPDX-License-Identifier: BSD-3-Clause
// Converts configurations of the C API to wperf's requests. Makes the checks that the command line would have made;
// whether names exist is checked by plan.
#pragma once
#include <vector>

#include "ground/diag/result.h"
#include "include/wperf/wperf.h"
#include "model/request/request.h"

namespace wperf::capi {

diag::Result<request::Request> stat_request(const STAT_CONF& conf);
// For a count between two calls. `process` 0: counts on the cores.
diag::Result<request::Request> section_request(const STAT_CONF& conf, u32 process);
diag::Result<request::Request> sample_request(const SAMPLE_CONF& conf);
diag::Result<request::Request> test_request(const TEST_CONF& conf);
// Returns an error if the machine lacks a core of the request. The error names the field `cores`; an error from plan
// would name an option.
diag::Result<void> check_cores(const std::vector<request::CoreRange>& cores, u32 core_count);

}  // namespace wperf::capi
