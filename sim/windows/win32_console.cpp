// SPDX-License-Identifier: BSD-3-Clause
// The program's own console: what it writes is kept up to a limit and shown to nobody; reading finds the end at once.
#include <algorithm>
#include <array>
#include <vector>

#include "sim/windows/win32_call.h"
#include "sim/windows/win32_surface.h"

namespace wperf::sim {
namespace {

constexpr u64 kInput = 0x50, kOutput = 0x54, kError = 0x58;  // handles, as a console program usually gets them
constexpr u64 kInvalidHandle = ~0ull;

bool is_writable(u64 handle) {
  return handle == kOutput || handle == kError;
}
bool is_console(u64 handle) {
  return handle == kInput || is_writable(handle);
}

// Takes `size` bytes of the program's memory in. False after a crash.
bool take_bytes(Win32Call& call, u64 address, u64 size) {
  std::string& console = call.state.console;
  std::vector<char> kept(std::min<u64>(size, kConsoleKept - console.size()));
  if (!call.read(address, kept.data(), kept.size())) return false;
  if (!call.state.memory.allows(address, size, kRead)) {
    call.crash("cannot read " + std::to_string(size) + " bytes at " + hex(address));
    return false;
  }
  console.append(kept.data(), kept.size());
  call.state.console_bytes += size;
  return true;
}

bool take_wide(Win32Call& call, u64 address, u32 units) {
  std::vector<u16> text(std::min<u64>(units, kConsoleKept - call.state.console.size()));
  if (!call.read(address, text.data(), text.size() * sizeof(u16))) return false;
  for (u16 unit : text) call.state.console += unit < 0x80 ? static_cast<char>(unit) : '?';
  call.state.console_bytes += units;
  return true;
}

u64 get_std_handle(Win32Call& call) {
  switch (call.argument32(0)) {
    case 0xfffffff6:
      return kInput;
    case 0xfffffff5:
      return kOutput;
    case 0xfffffff4:
      return kError;
    default:
      return call.fail(kErrorInvalidHandle, kInvalidHandle);
  }
}

u64 write_file(Win32Call& call) {
  const u32 size = call.argument32(2);
  if (!is_writable(call.argument(0))) return call.fail(kErrorInvalidHandle);
  if (!take_bytes(call, call.argument(1), size)) return 0;
  return call.argument(3) == 0 ? 1 : u64{call.write_value(call.argument(3), size)};
}

u64 write_console_w(Win32Call& call) {
  const u32 units = call.argument32(2);
  if (!is_writable(call.argument(0))) return call.fail(kErrorInvalidHandle);
  if (!take_wide(call, call.argument(1), units)) return 0;
  return call.argument(3) == 0 ? 1 : u64{call.write_value(call.argument(3), units)};
}

u64 read_file(Win32Call& call) {
  if (call.argument(0) != kInput) return call.fail(kErrorInvalidHandle);
  return call.argument(3) == 0 ? 1 : u64{call.write_value(call.argument(3), u32{0})};
}

u64 file_type(Win32Call& call) {
  constexpr u64 kCharacterDevice = 2;
  return is_console(call.argument(0)) ? kCharacterDevice : call.fail(kErrorInvalidHandle);
}

u64 get_console_mode(Win32Call& call) {
  if (!is_console(call.argument(0))) return call.fail(kErrorInvalidHandle);
  return call.write_value(call.argument(1), u32{3});
}

u64 succeed_on_console(Win32Call& call) {
  return is_console(call.argument(0)) ? 1 : call.fail(kErrorInvalidHandle);
}

u64 code_page(Win32Call&) {
  return 65001;
}
u64 succeed(Win32Call&) {
  return 1;
}

u64 close_handle(Win32Call& call) {
  return is_console(call.argument(0)) || call.argument(0) >= ~0ull - 1 || is_thread_handle(call.state, call.argument(0))
             ? 1
             : call.fail(kErrorInvalidHandle);
}

u64 output_debug_string_a(Win32Call& call) {
  std::string text;
  (void)call.read_name(call.argument(0), false, text);
  return 0;
}

u64 output_debug_string_w(Win32Call& call) {
  std::string text;
  (void)call.read_name(call.argument(0), true, text);
  return 0;
}

u64 crt_puts(Win32Call& call) {
  u64 length = 0;
  if (!call.state.memory.length_of(call.argument(0), 1, length)) {
    return call.crash("there is no readable text at " + hex(call.argument(0)));
  }
  if (!take_bytes(call, call.argument(0), length)) return 0;
  if (call.state.console.size() < kConsoleKept) call.state.console += '\n';
  ++call.state.console_bytes;
  return 0;
}

u64 crt_putchar(Win32Call& call) {
  if (call.state.console.size() < kConsoleKept) call.state.console += static_cast<char>(call.argument32(0));
  ++call.state.console_bytes;
  return call.argument32(0) & 0xff;
}

constexpr Win32Function kConsole[] = {
    {"GetStdHandle", kKernelDll, get_std_handle},
    {"SetStdHandle", kKernelDll, succeed},
    {"WriteFile", kKernelDll, write_file},
    {"WriteConsoleA", kKernelDll, write_file},
    {"WriteConsoleW", kKernelDll, write_console_w},
    {"ReadFile", kKernelDll, read_file},
    {"ReadConsoleW", kKernelDll, read_file},
    {"GetFileType", kKernelDll, file_type},
    {"GetConsoleMode", kKernelDll, get_console_mode},
    {"SetConsoleMode", kKernelDll, succeed_on_console},
    {"FlushFileBuffers", kKernelDll, succeed_on_console},
    {"GetConsoleCP", kKernelDll, code_page},
    {"GetConsoleOutputCP", kKernelDll, code_page},
    {"SetConsoleOutputCP", kKernelDll, succeed},
    {"SetConsoleCtrlHandler", kKernelDll, succeed},
    {"CloseHandle", kKernelDll, close_handle},
    {"OutputDebugStringA", kKernelDll, output_debug_string_a},
    {"OutputDebugStringW", kKernelDll, output_debug_string_w},
    {"puts", kCrtDll, crt_puts},
    {"putchar", kCrtDll, crt_putchar},
};

}  // namespace

std::span<const Win32Function> console_functions() {
  return kConsole;
}

}  // namespace wperf::sim
