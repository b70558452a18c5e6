// SPDX-License-Identifier: BSD-3-Clause
// The Windows functions the simulator answers: one table in parts, one part in each win32_*.cpp file. A function's
// number is the immediate of the SVC in its stub. The tables are constants; nothing is built at start-up.
#pragma once
#include <array>
#include <optional>
#include <span>
#include <string_view>

#include "base/ints.h"

namespace wperf::sim {

class Win32Call;

// The DLLs of Windows that have a function. kernel: kernel32, kernelbase, the api-ms-win-core sets, and small DLLs with
// a function or two that programs use.
enum SystemDll : u8 { kKernelDll = 1, kNtDll = 2, kCrtDll = 4 };

struct Win32Function {
  std::string_view name;
  u8 dlls;                     // SystemDll bits
  u64 (*handler)(Win32Call&);  // its result is the guest's x0
};

// The parts of the table, each with its functions in no particular order. Functions are numbered in this order.
std::span<const Win32Function> start_functions();  // first: their numbers are fixed, below
std::span<const Win32Function> process_functions();
std::span<const Win32Function> module_functions();
std::span<const Win32Function> memory_functions();
std::span<const Win32Function> thread_functions();
std::span<const Win32Function> thread_life_functions();
std::span<const Win32Function> time_functions();
std::span<const Win32Function> console_functions();
std::span<const Win32Function> text_functions();
std::span<const Win32Function> crt_functions();
std::span<const Win32Function> condition_functions();
std::span<const Win32Function> file_functions();
std::span<const Win32Function> folder_functions();
std::span<const Win32Function> locale_functions();
std::span<const Win32Function> system_functions();
std::span<const Win32Function> crt_start_functions();
std::span<const Win32Function> crt_stream_functions();
std::span<const Win32Function> crt_file_functions();
std::span<const Win32Function> crt_text_functions();
std::span<const Win32Function> crt_number_functions();
std::span<const Win32Function> exception_functions();
std::span<const Win32Function> absent_functions();  // programs import them; a program that calls one ends with a
                                                    // message

inline constexpr u32 kThreadReturnNumber = 0;    // a thread's function returns to it; w0 is its exit code
inline constexpr u32 kNextStartNumber = 1;       // a DLL's entry point returns to it; next come the other entry points,
                                                 // then the program
inline constexpr u32 kCallbackReturnNumber = 2;  // a function of the program that Windows called returns to it

u32 win32_function_count();
const Win32Function* win32_function(u32 number);                         // null if there is no such number
std::optional<u32> find_win32_function(u8 dlls, std::string_view name);  // its number
bool enters_kernel(u32 number);                               // false if the C runtime of Windows does it without the
                                                              // kernel
std::optional<u32> find_crt_variable(std::string_view name);  // its place in the C runtime's data (crt_state.h)
u8 system_dlls_named(std::string_view dll);                   // 0 if it is not a DLL of Windows that we know
std::string_view system_dll_file(u8 dlls);                    // file name for the lowest bit, for example
                                                              // "KERNEL32.DLL"

bool same_dll_name(std::string_view left, std::string_view right);  // ignores case and a missing ".dll"

}  // namespace wperf::sim
