// SPDX-License-Identifier: BSD-3-Clause
// Cores as the kernel lists them, in sysfs and in sections of recordings: "0-3,7". Called by machine/perf_events and
// recording.
#pragma once
#include <string_view>
#include <vector>

#include "base/ints.h"

namespace wperf::perf_data {

// Ascending. What is no such list, or of no machine there is, yields what could be read before it.
std::vector<u32> parse_kernel_list(std::string_view text);

}  // namespace wperf::perf_data
