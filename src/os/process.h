// SPDX-License-Identifier: BSD-3-Clause
// This process and its surroundings: environment, own path, terminal, Ctrl-C, local time.
#pragma once
#include <cstdio>
#include <optional>
#include <string>

namespace wperf::os {

std::optional<std::string> environment(const char* name);
unsigned process_number();
// Where downloaded symbols are kept when nobody says: below the user's cache folder; empty if there is none.
std::string symbol_cache_folder();
// The folder the running program lies in; empty if the system won't say.
std::string program_folder();
bool is_terminal(std::FILE* stream);
// From now on the first Ctrl-C only sets a flag; the second ends the process as usual.
void catch_interrupt();
bool interrupted();
// "2026_11_21_09_48_00", local time.
std::string local_time_stamp();

}  // namespace wperf::os
