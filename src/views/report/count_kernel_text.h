// SPDX-License-Identifier: BSD-3-Clause
// The text of `stat` if the system's own kernel counted: no scripts for WindowsPerf read it, so it is written for
// people.
#pragma once
#include <span>
#include <string>

#include "model/answers/count_profile.h"

namespace wperf::report {

void append_kernel_counts(std::string& out, const answers::CountProfile& profile);
// Appends nothing if the device does not count each thread.
void append_kernel_threads(std::string& out, const answers::CountProfile& profile);
// The elapsed time and the remarks.
void append_kernel_times(std::string& out, const answers::CountProfile& profile);
// The line under a table that names the zeros that were not counted (in count_text.cpp).
void append_not_counted(std::string& out, std::span<const answers::CountRow> rows);

}  // namespace wperf::report
