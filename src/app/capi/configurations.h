// SPDX-License-Identifier: BSD-3-Clause
// Converts configurations of the C API to requests for the rest of wperf. Checks what the command line would have
// checked; plan decides whether names exist.
#pragma once
#include <vector>

#include "ground/diag/result.h"
#include "include/wperf/wperf.h"
#include "model/request/request.h"

namespace wperf::capi {

diag::Result<request::Request> stat_request(const STAT_CONF& conf);
// Counts between two moments; `process` 0 means the cores.
diag::Result<request::Request> section_request(const STAT_CONF& conf, u32 process);
diag::Result<request::Request> sample_request(const SAMPLE_CONF& conf);
diag::Result<request::Request> test_request(const TEST_CONF& conf);
// Does the machine have all cores of the request? The error names the field `cores`, where plan's error would name an
// option.
diag::Result<void> check_cores(const std::vector<request::CoreRange>& cores, u32 core_count);

}  // namespace wperf::capi
