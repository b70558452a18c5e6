// SPDX-License-Identifier: BSD-3-Clause
// The program's standard streams: output is kept up to a limit, and shown on request; input is this process's own
// input.
#include <algorithm>
#include <array>
#include <vector>

#include "sim/windows/crt_call.h"
#include "sim/windows/wide_strings.h"
#include "sim/windows/win32_file.h"
#include "sim/windows/win32_surface.h"

namespace wperf::sim {
namespace {

constexpr u64 kInput = 0x50, kOutput = 0x54, kError = 0x58;  // handles, as a console program usually gets them
constexpr u64 kConsolePiece = 64 << 10;

bool is_writable(u64 handle) {
  return handle == kOutput || handle == kError;
}

// Takes `size` bytes of the program's memory. Returns false after a crash.
bool take_bytes(Win32Call& call, u64 address, u64 size, bool error) {
  if (!call.state.memory.allows(address, size, kRead)) {
    call.crash("cannot read " + std::to_string(size) + " bytes at " + hex(address));
    call.state.exit_code = kStatusAccessViolation;
    return false;
  }
  std::string bytes(std::min<u64>(size, kConsolePiece), '\0');
  for (u64 done = 0; done < size; done += bytes.size()) {
    bytes.resize(std::min<u64>(size - done, kConsolePiece));
    if (!call.read(address + done, bytes.data(), bytes.size())) return false;
    take_console(call.state, error, bytes);
  }
  return true;
}

bool take_wide(Win32Call& call, u64 address, u32 units, bool error) {
  std::vector<u16> text(std::min<u32>(units, kConsolePiece));
  for (u64 done = 0; done < units; done += text.size()) {
    text.resize(std::min<u64>(units - done, kConsolePiece));
    if (!call.read(address + done * sizeof(u16), text.data(), text.size() * sizeof(u16))) return false;
    take_console(call.state, error, to_utf8(text));
  }
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

u64 write_console_a(Win32Call& call) {
  const auto done = write_stream(call, call.argument(0), call.argument(1), call.argument32(2));
  if (!done) return 0;
  return call.argument(3) == 0 ? 1 : u64{call.write_value(call.argument(3), static_cast<u32>(*done))};
}

u64 write_console_w(Win32Call& call) {
  const u32 units = call.argument32(2);
  if (!is_writable(call.argument(0))) return call.fail(kErrorInvalidHandle);
  if (!take_wide(call, call.argument(1), units, call.argument(0) == kError)) return 0;
  return call.argument(3) == 0 ? 1 : u64{call.write_value(call.argument(3), units)};
}

u64 read_console_w(Win32Call& call) {
  if (call.argument(0) != kInput) return call.fail(kErrorInvalidHandle);
  return call.argument(3) == 0 ? 1 : u64{call.write_value(call.argument(3), u32{0})};
}

// A program whose text is shown writes into a pipe; it does not matter who reads the text.
bool is_console(const Win32Call& call, u64 handle) {
  return is_standard_stream(handle) && !(call.state.streams && call.state.streams->is_shown());
}

u64 file_type(Win32Call& call) {
  constexpr u64 kDisk = 1, kCharacterDevice = 2, kPipe = 3;
  const u64 handle = call.argument(0);
  if (call.state.handles.at(handle) != nullptr) return kDisk;
  if (is_standard_stream(handle)) return is_console(call, handle) ? kCharacterDevice : kPipe;
  return call.fail(kErrorInvalidHandle);
}

u64 get_console_mode(Win32Call& call) {
  if (!is_console(call, call.argument(0))) return call.fail(kErrorInvalidHandle);
  return call.write_value(call.argument(1), u32{3});
}

u64 succeed_on_console(Win32Call& call) {
  return is_console(call, call.argument(0)) ? 1 : call.fail(kErrorInvalidHandle);
}

u64 flush(Win32Call& call) {
  const u64 handle = call.argument(0);
  return is_standard_stream(handle) || call.state.handles.at(handle) != nullptr ? 1 : call.fail(kErrorInvalidHandle);
}

u64 no_screen(Win32Call& call) {
  return call.fail(kErrorInvalidHandle);
}

u64 console_code_page(Win32Call&) {
  return 65001;
}
u64 allow_setting(Win32Call&) {
  return 1;
}

u64 close_handle(Win32Call& call) {
  const u64 handle = call.argument(0);
  if (call.state.handles.close(handle)) return 1;
  return is_standard_stream(handle) || handle >= ~0ull - 1 || is_thread_handle(call.state, handle)
             ? 1
             : call.fail(kErrorInvalidHandle);
}

// arguments: process, handle, target process, place of the new handle, access, inherit, options
u64 duplicate_handle(Win32Call& call) {
  constexpr u32 kCloseSource = 1;
  const u64 handle = call.argument(1);
  u64 copy = handle;
  if (const GuestHandle* const object = call.state.handles.at(handle)) {
    copy = call.state.handles.add(*object);
    if (copy == 0) return call.fail(kErrorTooManyOpenFiles);
  } else if (!is_standard_stream(handle) && handle < ~0ull - 1 && !is_thread_handle(call.state, handle)) {
    return call.fail(kErrorInvalidHandle);
  }
  if ((call.argument32(6) & kCloseSource) != 0) (void)call.state.handles.close(handle);
  return call.argument(3) == 0 ? 1 : u64{call.write_value(call.argument(3), copy)};
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
  if (!call.state.memory.length_of(call.argument(0), 1, length))
    return call.crash("no readable text at " + hex(call.argument(0)));
  if (take_bytes(call, call.argument(0), length, false)) take_console(call.state, false, "\n");
  return 0;
}

u64 crt_putchar(Win32Call& call) {
  const char byte = static_cast<char>(call.argument32(0));
  take_console(call.state, false, {&byte, 1});
  return static_cast<u8>(byte);
}

constexpr Win32Function kConsole[] = {
    {"GetStdHandle", kKernelDll, get_std_handle},
    {"SetStdHandle", kKernelDll, allow_setting},
    {"WriteConsoleA", kKernelDll, write_console_a},
    {"WriteConsoleW", kKernelDll, write_console_w},
    {"ReadConsoleW", kKernelDll, read_console_w},
    {"GetFileType", kKernelDll, file_type},
    {"GetConsoleMode", kKernelDll, get_console_mode},
    {"SetConsoleMode", kKernelDll, succeed_on_console},
    {"SetConsoleTextAttribute", kKernelDll, succeed_on_console},
    {"GetConsoleScreenBufferInfo", kKernelDll, no_screen},
    {"FlushFileBuffers", kKernelDll, flush},
    {"GetConsoleCP", kKernelDll, console_code_page},
    {"GetConsoleOutputCP", kKernelDll, console_code_page},
    {"SetConsoleOutputCP", kKernelDll, allow_setting},
    {"SetConsoleCtrlHandler", kKernelDll, allow_setting},
    {"CloseHandle", kKernelDll, close_handle},
    {"DuplicateHandle", kKernelDll, duplicate_handle},
    {"OutputDebugStringA", kKernelDll, output_debug_string_a},
    {"OutputDebugStringW", kKernelDll, output_debug_string_w},
    {"puts", kCrtDll, crt_puts},
    {"putchar", kCrtDll, crt_putchar},
};

}  // namespace

usize read_input(ProcessState& state, std::span<char> out) {
  const usize got = state.streams ? state.streams->read(state.input_read, out) : 0;
  state.input_read += got;
  return got;
}

bool is_standard_stream(u64 handle) {
  return handle == kInput || is_writable(handle);
}

std::optional<u64> read_stream(Win32Call& call, u64 handle, u64 address, u64 size) {
  if (handle != kInput) {
    call.set_last_error(kErrorInvalidHandle);
    return std::nullopt;
  }
  std::string bytes(std::min<u64>(size, kConsolePiece), '\0');
  const u64 got = read_input(call.state, bytes);
  return call.write(address, bytes.data(), got) ? std::optional<u64>(got) : std::nullopt;
}

std::optional<u64> write_stream(Win32Call& call, u64 handle, u64 address, u64 size) {
  if (!is_writable(handle)) {
    call.set_last_error(kErrorInvalidHandle);
    return std::nullopt;
  }
  return take_bytes(call, address, size, handle == kError) ? std::optional<u64>(size) : std::nullopt;
}

void take_console(ProcessState& state, bool error, std::string_view bytes) {
  state.console.append(bytes.substr(0, kConsoleKept - std::min(kConsoleKept, state.console.size())));
  state.console_bytes += bytes.size();
  if (state.streams) state.streams->write(error ? StandardStreams::kError : StandardStreams::kOutput, bytes);
}

std::span<const Win32Function> console_functions() {
  return kConsole;
}

}  // namespace wperf::sim
