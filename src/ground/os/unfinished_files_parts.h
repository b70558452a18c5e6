// SPDX-License-Identifier: BSD-3-Clause
// What of unfinished_files.cpp each system does in its own way.
#pragma once
#include <cstddef>

namespace wperf::os::unfinished_files {

inline constexpr std::size_t kLongestPath = 4096;
void remove(const char* path);  // safe in a signal handler
// Somebody had his own way with signals, and leaves them to the system again. Safe in a signal handler; on Linux.
void care_again();

}  // namespace wperf::os::unfinished_files
