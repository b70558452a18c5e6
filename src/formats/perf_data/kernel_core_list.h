// SPDX-License-Identifier: BSD-3-Clause
// Cores as the kernel lists them, in sysfs and in sections of recordings: "0-3,7".
#pragma once
#include <string_view>
#include <vector>

#include "base/ints.h"

namespace wperf::perf_data {

// Ascending. For text that is not such a list, or not of an existing machine, returns the cores that could be read
// before it.
std::vector<u32> parse_kernel_list(std::string_view text);

}  // namespace wperf::perf_data
