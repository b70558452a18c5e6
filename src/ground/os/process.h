// SPDX-License-Identifier: BSD-3-Clause
// This process and its surroundings: arguments, environment, own path, Ctrl-C, local time. All text is UTF-8.
#pragma once
#include <optional>
#include <string>
#include <vector>

namespace wperf::os {

// What of this system measures: its kernel; on Windows what there is decides (app/measure/device_choice.h).
#ifdef _WIN32
inline constexpr char kOwnDevice[] = "";
#else
inline constexpr char kOwnDevice[] = "linux";
#endif
// The arguments without the program's name, from what main() got; Windows has them in a line of its own.
std::vector<std::string> program_arguments(int count, char** words);
// Where stdin, stdout or stderr is closed, the next file opened would take its place and get what is printed. From now
// on writing there only fails.
void hold_standard_streams();
std::optional<std::string> environment(const char* name);
unsigned process_number();
// Where downloaded symbols are kept when nobody says: below the user's cache folder; empty if there is none.
std::string symbol_cache_folder();
// The folder of the file this code is in: the running program, or libwperf where a program uses that. Empty if the
// system won't say.
std::string program_folder();
// From now on the first Ctrl-C only sets a flag, and the second ends the process as usual: for who measures, and asks
// interrupted() again and again. Closing the console counts as Ctrl-C: the system grants some seconds to finish.
void catch_interrupt();
// The first ends it as usual, too: what was measured is there, and nobody asks any more. Where nothing was caught, this
// does nothing.
void release_interrupt();
// From now on a reader that goes away (`wperf record … | head`) is an error of the write, and does not end the process:
// a measurement is finished, and its file is whole. Elsewhere it ends a process that nobody reads any more, as is
// usual.
void outlive_readers();
// Whether an error of a write is that; the status that a shell has for a process that ended of it.
bool is_reader_gone(int error);
inline constexpr int kStatusOfReaderGone = 141;
bool interrupted();
// "2026_11_21_09_48_00", local time.
std::string local_time_stamp();

}  // namespace wperf::os
