// SPDX-License-Identifier: BSD-3-Clause
// The memory and string functions of the C runtime, carried out by the simulator: fast, but a profile sees one call
// and none of their loads and stores.
#include <algorithm>
#include <array>

#include "sim/windows/win32_call.h"
#include "sim/windows/win32_surface.h"

namespace wperf::sim {
namespace {

u64 crash_on_copy(Win32Call& call, u64 to, u64 from, u64 size) {
  call.crash("cannot copy " + std::to_string(size) + " bytes from " + hex(from) + " to " + hex(to));
  call.state.exit_code = kStatusAccessViolation;
  return 0;
}

u64 copy_to(Win32Call& call, u64 to, u64 from, u64 size) {
  return call.state.memory.copy(to, from, size) ? to : crash_on_copy(call, to, from, size);
}

u64 copy_memory(Win32Call& call) {
  return copy_to(call, call.argument(0), call.argument(1), call.argument(2));
}

u64 set_memory(Win32Call& call) {
  const u64 to = call.argument(0);
  const u64 size = call.argument(2);
  if (call.state.memory.fill(to, static_cast<u8>(call.argument32(1)), size)) return to;
  call.crash("cannot fill " + std::to_string(size) + " bytes at " + hex(to));
  call.state.exit_code = kStatusAccessViolation;
  return 0;
}

// Compares until a difference, `limit` bytes or, for text, the terminator.
u64 compare(Win32Call& call, u64 limit, bool text) {
  for (u64 index = 0; index < limit; ++index) {
    u8 left = 0;
    u8 right = 0;
    if (!call.read_value(call.argument(0) + index, left) || !call.read_value(call.argument(1) + index, right)) return 0;
    if (left != right) return left < right ? ~0ull : 1;
    if (text && left == 0) return 0;
  }
  return 0;
}

u64 compare_memory(Win32Call& call) {
  return compare(call, call.argument(2), false);
}
u64 compare_text(Win32Call& call) {
  return compare(call, ~0ull, true);
}
u64 compare_text_part(Win32Call& call) {
  return compare(call, call.argument(2), true);
}

u64 find_in_memory(Win32Call& call) {
  for (u64 index = 0; index < call.argument(2); ++index) {
    u8 unit = 0;
    if (!call.read_value(call.argument(0) + index, unit)) return 0;
    if (unit == static_cast<u8>(call.argument32(1))) return call.argument(0) + index;
  }
  return 0;
}

bool measure(Win32Call& call, u64 address, u32 unit_size, u64& length) {
  if (call.state.memory.length_of(address, unit_size, length)) return true;
  call.crash("no readable text at " + hex(address));
  call.state.exit_code = kStatusAccessViolation;
  return false;
}

u64 text_length(Win32Call& call) {
  u64 length = 0;
  return measure(call, call.argument(0), 1, length) ? length : 0;
}

u64 wide_length(Win32Call& call) {
  u64 length = 0;
  return measure(call, call.argument(0), 2, length) ? length : 0;
}

u64 find_in_text(Win32Call& call, bool last) {
  u64 length = 0;
  u64 found = 0;
  if (!measure(call, call.argument(0), 1, length)) return 0;
  for (u64 index = 0; index <= length; ++index) {  // the terminator can be searched for, too
    u8 unit = 0;
    if (!call.read_value(call.argument(0) + index, unit)) return 0;
    if (unit != static_cast<u8>(call.argument32(1))) continue;
    found = call.argument(0) + index;
    if (!last) break;
  }
  return found;
}

u64 find_first(Win32Call& call) {
  return find_in_text(call, false);
}
u64 find_last(Win32Call& call) {
  return find_in_text(call, true);
}

u64 copy_text(Win32Call& call) {
  u64 length = 0;
  if (!measure(call, call.argument(1), 1, length)) return 0;
  return copy_to(call, call.argument(0), call.argument(1), length + 1);
}

u64 append_text(Win32Call& call) {
  u64 before = 0;
  u64 length = 0;
  if (!measure(call, call.argument(0), 1, before) || !measure(call, call.argument(1), 1, length)) return 0;
  return copy_to(call, call.argument(0) + before, call.argument(1), length + 1) != 0 ? call.argument(0) : 0;
}

u64 to_integer(Win32Call& call) {
  u64 value = 0;
  u64 address = call.argument(0);
  u8 unit = 0;
  do {
    if (!call.read_value(address++, unit)) return 0;
  } while (unit == ' ' || (unit >= '\t' && unit <= '\r'));
  const bool negative = unit == '-';
  if ((negative || unit == '+') && !call.read_value(address++, unit)) return 0;
  while (unit >= '0' && unit <= '9') {
    value = value * 10 + (unit - u64{'0'});
    if (!call.read_value(address++, unit)) return 0;
  }
  return negative ? 0 - value : value;
}

u64 abort_program(Win32Call& call) {
  call.crash("the program aborted itself");
  call.state.exit_code = 3;
  return 0;
}

constexpr u8 kBoth = kNtDll | kCrtDll;

constexpr Win32Function kCrt[] = {
    {"memcpy", kBoth, copy_memory},    {"memmove", kBoth, copy_memory},   {"memset", kBoth, set_memory},
    {"memcmp", kBoth, compare_memory}, {"memchr", kBoth, find_in_memory}, {"strlen", kBoth, text_length},
    {"wcslen", kBoth, wide_length},    {"strcmp", kBoth, compare_text},   {"strncmp", kBoth, compare_text_part},
    {"strchr", kBoth, find_first},     {"strrchr", kBoth, find_last},     {"strcpy", kBoth, copy_text},
    {"strcat", kBoth, append_text},    {"atoi", kBoth, to_integer},       {"_atoi64", kBoth, to_integer},
    {"abort", kCrtDll, abort_program},
};

}  // namespace

std::span<const Win32Function> crt_functions() {
  return kCrt;
}

}  // namespace wperf::sim
