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

// The default device: on Linux the kernel. On Windows app/measure/opened_machine.h decides.
#ifdef _WIN32
inline constexpr char kOwnDevice[] = "";
#else
inline constexpr char kOwnDevice[] = "linux";
#endif
// The arguments without the program's name, from the parameters of main(); on Windows they are taken from the process's
// command line instead.
std::vector<std::string> program_arguments(int count, char** words);
// If stdin, stdout or stderr is closed, the next file to be opened would take its number and receive the printed text.
// After this call, writing to a closed stream fails instead.
void hold_standard_streams();
std::optional<std::string> environment(const char* name);
unsigned process_number();
// The default folder for downloaded symbols: below the user's cache folder; empty if there is none.
std::string symbol_cache_folder();
// The folder of the file that contains this code: the running program, or libwperf if a program has loaded it. Empty if
// the system does not report it.
std::string program_folder();
// The path of a file that is installed with the code in `folder`. In a build the file is in the same folder. An
// installation on Linux has it in PREFIX/lib/wperf, and the folder is PREFIX/bin, PREFIX/lib, PREFIX/lib64 or
// PREFIX/lib/TRIPLET. If there is no such file, returns the path in `folder`.
std::string companion_file(const std::string& folder, const std::string& name);
// After this call the first Ctrl-C only sets a flag, and the second ends the process as usual; two signals within a
// quarter of a second count as one. Used during a measurement, which polls interrupted(). Closing the console counts as
// Ctrl-C: the system grants some seconds to finish.
void catch_interrupt();
// Ctrl-C ends the process as usual again; called after a measurement. Has no effect without a previous
// catch_interrupt().
void release_interrupt();
// After this call, a write fails if the reader is gone (`wperf record … | head`), but it does not end the process, so
// the measurement finishes and its file is complete. By default, a write without a reader ends the process.
void outlive_readers();
// Did a write fail because the reader is gone? kStatusOfReaderGone is the exit status that a shell reports then.
bool is_reader_gone(int error);
inline constexpr int kStatusOfReaderGone = 141;
bool interrupted();
// Was Ctrl-C pressed since the last call? Afterwards the next Ctrl-C only sets the flag again.
bool take_interrupt();
#ifdef _WIN32
// A HANDLE to wait for instead of polling. It is signalled from the first Ctrl-C on; null before catch_interrupt().
void* interrupt_event();
#endif
// "2026_11_21_09_48_00", local time.
std::string local_time_stamp();

// The words of a Windows command line, by the rules of Microsoft's C library: on Windows a program gets one string and
// splits it itself. Used for this program's own line and for the programs that wperf starts. The program's name is the
// first word.
std::vector<std::string> split_command_line(std::string_view line);
// The command line that split_command_line() splits into these words; only words that need quotes get them.
std::string join_command_line(std::span<const std::string> words);

// The resources that this process has used so far. For commands that run for a long time.
struct ProcessCost {
  u64 cpu_ns = 0;          // CPU time of all threads, in user and kernel mode
  u64 resident_bytes = 0;  // its memory now; 0 if the system does not report it
  u64 most_bytes = 0;      // its largest memory so far
};

ProcessCost process_cost();

// Reads memory of this process at an address that may be invalid. For the C API, whose callers leave fields of their
// structures uninitialised. Returns false if a part cannot be read; then the contents of `to` are unspecified.
bool copy_own_memory(const void* from, std::span<std::byte> to);

// The ELF image of the vDSO, the code that the Linux kernel maps into every process. It is the same in every process
// with this kernel and word size. Empty if there is no vDSO.
std::span<const std::byte> vdso_image();

}  // namespace wperf::os
