// SPDX-License-Identifier: BSD-3-Clause
// The text of `stat` where the system's own kernel counted: what scripts of WindowsPerf look for is not needed there,
// so it has what a person wants to know. Called by count_text.cpp.
#pragma once
#include <span>
#include <string>

#include "model/answers/count_profile.h"

namespace wperf::report {

void append_kernel_counts(std::string& out, const answers::CountProfile& profile);
// Where the device tells threads apart.
void append_kernel_threads(std::string& out, const answers::CountProfile& profile);
// How long it took, and remarks.
void append_kernel_times(std::string& out, const answers::CountProfile& profile);
// Under a table: its zeros that no counter counted. (Of count_text.cpp.)
void append_not_counted(std::string& out, std::span<const answers::CountRow> rows);

}  // namespace wperf::report
