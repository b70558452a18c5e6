// SPDX-License-Identifier: BSD-3-Clause
// This process and its surroundings: arguments, environment, own path, Ctrl-C, local time. All text is UTF-8.
#pragma once
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/ints.h"

namespace wperf::os {

// The default device for this system: its kernel; on Windows app/measure/opened_machine.h decides.
#ifdef _WIN32
inline constexpr char kOwnDevice[] = "";
#else
inline constexpr char kOwnDevice[] = "linux";
#endif
// The arguments without the program's name, from those of main(); on Windows they come from a separate command line.
std::vector<std::string> program_arguments(int count, char** words);
// If stdin, stdout or stderr is closed, the next file opened would take its number and get the printed text. After this
// call, writing there fails instead.
void hold_standard_streams();
std::optional<std::string> environment(const char* name);
unsigned process_number();
// The default folder for downloaded symbols: below the user's cache folder; empty if there is none.
std::string symbol_cache_folder();
// The folder of the file that contains this code: the running program, or libwperf if a program uses that. Empty if the
// system won't say.
std::string program_folder();
// The path of a file that comes with the code in that folder. A build has it there. An installation on Linux has it in
// PREFIX/lib/wperf; the folder is PREFIX/bin, PREFIX/lib, PREFIX/lib64 or PREFIX/lib/TRIPLET. If there is no such file,
// the answer is the place in the folder.
std::string companion_file(const std::string& folder, const std::string& name);
// After this call the first Ctrl-C only sets a flag, and the second ends the process as usual. For a measurement, which
// polls interrupted(). Closing the console counts as Ctrl-C: the system grants some seconds to finish.
void catch_interrupt();
// Ctrl-C ends the process as usual again: for the time after a measurement. Without a catch_interrupt() before, this
// does nothing.
void release_interrupt();
// After this call, a write fails if the reader is gone (`wperf record … | head`), and the process goes on: the
// measurement is finished, and its file is complete. Without it, the process ends, as is usual.
void outlive_readers();
// Whether a write failed for that reason; the exit status that a shell reports for it.
bool is_reader_gone(int error);
inline constexpr int kStatusOfReaderGone = 141;
bool interrupted();
// Whether Ctrl-C was pressed since the last call; the next one only sets the flag again.
bool take_interrupt();
#ifdef _WIN32
// The same as a HANDLE to wait for, signalled from the first Ctrl-C on; null before catch_interrupt().
void* interrupt_event();
#endif
// "2026_11_21_09_48_00", local time.
std::string local_time_stamp();

// The words of a Windows command line, by the rules of the C library there: a program gets one string and splits it
// itself. For this program's own line (Windows) and for the programs that wperf starts. The program's name is the first
// word.
std::vector<std::string> split_command_line(std::string_view line);
// The line that split_command_line() splits into these words; only words that need quotes get them.
std::string join_command_line(std::span<const std::string> words);

// The cost of this process for the machine so far. For commands that run for a long time.
struct OwnCost {
  u64 cpu_ns = 0;          // of all threads, in user and kernel mode
  u64 resident_bytes = 0;  // memory that it holds now; 0 if the system does not say
  u64 most_bytes = 0;      // the most memory that it held at once
};

OwnCost own_cost();

// Reads memory of this process at an address that may be invalid. For the C API, whose callers leave fields of their
// structures uninitialised. Returns false if some of it cannot be read; then the contents of `to` are unspecified.
bool copy_own_memory(const void* from, std::span<std::byte> to);

// The code that the kernel of Linux lends to this process ("[vdso]"), an ELF file without a file: the same in every
// other process of this kernel and kind; empty if there is none.
std::span<const std::byte> vdso_image();

}  // namespace wperf::os
