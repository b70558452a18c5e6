// SPDX-License-Identifier: BSD-3-Clause
// Text between code pages. The machine's is UTF-8.
#include <array>
#include <string>
#include <vector>

#include "sim/windows/wide_strings.h"
#include "sim/windows/win32_call.h"
#include "sim/windows/win32_surface.h"

namespace wperf::sim {
namespace {

constexpr u32 kErrorResourceNotFound = 317;  // there is no text of this number
constexpr u64 kUtf8 = 65001;
constexpr u64 kLongestConversion = 16 << 20;

// The length given by the caller; for -1 up to and including the terminator. Returns false if the call is over.
bool text_length(Win32Call& call, u64 address, u32 given, u32 unit_size, u64& out) {
  out = given;
  if (given == ~0u) {
    if (!call.state.memory.length_of(address, unit_size, out)) {
      call.crash("there is no readable text at " + hex(address));
      return false;
    }
    ++out;
  }
  if (out != 0 && out <= kLongestConversion) return true;
  call.set_last_error(kErrorInvalidParameter);
  return false;
}

u64 to_wide(Win32Call& call) {  // code page, flags, text, length, out, capacity
  u64 length = 0;
  if (!text_length(call, call.argument(2), call.argument32(3), 1, length)) return 0;
  std::string text(length, '\0');
  if (!call.read(call.argument(2), text.data(), length)) return 0;
  const std::vector<u16> wide = to_utf16(text);
  const u32 capacity = call.argument32(5);
  if (capacity == 0) return wide.size();
  if (capacity < wide.size()) return call.fail(kErrorInsufficientBuffer);
  return call.write(call.argument(4), wide.data(), wide.size() * sizeof(u16)) ? wide.size() : 0;
}

u64 from_wide(Win32Call& call) {
  u64 length = 0;
  if (!text_length(call, call.argument(2), call.argument32(3), 2, length)) return 0;
  std::vector<u16> wide(length);
  if (!call.read(call.argument(2), wide.data(), length * sizeof(u16))) return 0;
  const std::string text = to_utf8(wide);
  const u32 capacity = call.argument32(5);
  if (capacity == 0) return text.size();
  if (capacity < text.size()) return call.fail(kErrorInsufficientBuffer);
  return call.write(call.argument(4), text.data(), text.size()) ? text.size() : 0;
}

u64 code_page(Win32Call&) {
  return kUtf8;
}
u64 is_valid_code_page(Win32Call& call) {
  return call.argument32(0) == kUtf8 || call.argument32(0) == 0;
}

u64 code_page_info(Win32Call& call) {
  std::array<u8, 20> info{};  // CPINFO: one byte per character, '?' if it cannot be converted
  info[0] = 1;
  info[4] = '?';
  return call.write(call.argument(1), info.data(), info.size());
}

u64 length_a(Win32Call& call) {
  u64 length = 0;
  return call.argument(0) != 0 && call.state.memory.length_of(call.argument(0), 1, length) ? length : 0;
}

u64 length_w(Win32Call& call) {
  u64 length = 0;
  return call.argument(0) != 0 && call.state.memory.length_of(call.argument(0), 2, length) ? length : 0;
}

u64 is_lead_byte(Win32Call&) {
  return 0;  // in UTF-8, as Windows sees it, no byte is a lead byte
}

u64 files_are_narrow(Win32Call&) {
  return 1;  // because all text here is UTF-8
}

u64 format_message(Win32Call& call) {
  return call.fail(kErrorResourceNotFound);
}

constexpr Win32Function kText[] = {
    {"IsDBCSLeadByte", kKernelDll, is_lead_byte},
    {"IsDBCSLeadByteEx", kKernelDll, is_lead_byte},
    {"AreFileApisANSI", kKernelDll, files_are_narrow},
    {"FormatMessageA", kKernelDll, format_message},
    {"FormatMessageW", kKernelDll, format_message},
    {"MultiByteToWideChar", kKernelDll, to_wide},
    {"WideCharToMultiByte", kKernelDll, from_wide},
    {"GetACP", kKernelDll, code_page},
    {"GetOEMCP", kKernelDll, code_page},
    {"IsValidCodePage", kKernelDll, is_valid_code_page},
    {"GetCPInfo", kKernelDll, code_page_info},
    {"lstrlenA", kKernelDll, length_a},
    {"lstrlenW", kKernelDll, length_w},
};

}  // namespace

std::span<const Win32Function> text_functions() {
  return kText;
}

}  // namespace wperf::sim
