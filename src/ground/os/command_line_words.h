// SPDX-License-Identifier: BSD-3-Clause
// The words of a Windows command line, by the rules of the C library there: a program gets one string and takes it
// apart itself. For this program's own line (Windows) and for the programs that wperf starts. UTF-8.
#pragma once
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace wperf::os {

// The program's name is the first word.
std::vector<std::string> split_command_line(std::string_view line);
// The line that split_command_line() takes apart into these words; only words that need quotes get them.
std::string join_command_line(std::span<const std::string> words);

}  // namespace wperf::os
