// SPDX-License-Identifier: BSD-3-Clause
// The parts of unfinished_files.cpp that each system implements.
#pragma once
#include <cstddef>

namespace wperf::os::unfinished_files {

inline constexpr std::size_t kLongestPath = 4096;
void remove(const char* path);  // safe in a signal handler
// After another handler has given the signals back to the system, installs the handlers again. Safe in a signal
// handler; on Linux.
void care_again();

}  // namespace wperf::os::unfinished_files
