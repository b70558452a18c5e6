// SPDX-License-Identifier: BSD-3-Clause
// Shared by the functions of the simulated C runtime: errno, text in and out of the program, the arguments of printf.
#pragma once
#include <optional>
#include <string>
#include <string_view>

#include "sim/windows/win32_call.h"

namespace wperf::sim {

void set_errno(Win32Call& call, u32 number);
u64 fail_with(Win32Call& call, u32 number, u64 result);
u32 errno_of(FileProblem problem);
std::string_view errno_text(u32 number);

// Text of any length. nullopt if the program has crashed.
std::optional<std::string> text_at(Win32Call& call, u64 address);
std::optional<std::string> wide_text_at(Win32Call& call, u64 address);  // as UTF-8

constexpr u64 kMinusOne = ~0ull;
// A result of type int: programs read 32 bits, and the upper half may have any value.
constexpr u64 int_result(int value) {
  return static_cast<u32>(value);
}

// The arguments after the named ones. They are in registers and then on the stack, or at the place that a va_list
// points to.
class ArgumentList {
 public:
  ArgumentList(Win32Call& call, u32 first) : call_(call), index_(first) {}
  static ArgumentList pointed_to(Win32Call& call, u64 address) {
    ArgumentList list(call, 0);
    list.address_ = address;
    return list;
  }
  [[nodiscard]] bool next(u64& out);  // false: the program has crashed

 private:
  Win32Call& call_;
  u32 index_;
  u64 address_ = 0;
};

// The output of printf. nullopt if the program has crashed. Numbers look as glibc and Windows' ucrtbase write them.
std::optional<std::string> format_text(Win32Call& call, std::string_view format, ArgumentList arguments);

// Writes to the destination of a descriptor. Returns false with errno set on failure.
bool write_descriptor(Win32Call& call, u32 descriptor, std::string_view bytes);
std::optional<usize> read_descriptor(Win32Call& call, u32 descriptor, std::span<char> out);
void take_console(ProcessState& state, bool error, std::string_view bytes);  // win32_console.cpp
usize read_input(ProcessState& state, std::span<char> out);                  // also there; returns 0 at the end
CrtFile* crt_file(Win32Call& call, u64 descriptor);                          // returns null with errno set on failure
bool close_descriptor(Win32Call& call, u32 descriptor);
// Takes O_… flags; returns -1 with errno set on failure.
int open_descriptor(Win32Call& call, const std::string& name, u32 flags);

inline constexpr u32 kOpenWrite = 1, kOpenReadWrite = 2, kOpenAppend = 8, kOpenCreate = 0x100, kOpenTruncate = 0x200,
                     kOpenExclusive = 0x400;

void prepare_crt(ProcessState& state);

}  // namespace wperf::sim
