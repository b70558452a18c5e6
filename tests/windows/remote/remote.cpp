// SPDX-License-Identifier: BSD-3-Clause
// remote.exe: a program to measure in Wine. Its work (remote_work.h) runs on the emulated machine, at the same address,
// with the same process id, on the core to which this program is pinned. So the samples that wperf.exe takes come from
// real interrupts in its functions.
//   remote.exe [ROUNDS [CORE]]     0 rounds, or no number: until it is killed. CORE: it pins itself to that core
// Exit status: 0 done, 2 no bridge driver, 3 the machine refused or the work faulted.
#include "abi/device_interface.h"
#include "tests/nthost/server/protocol.h"
#include "tests/windows/bridge/bridge_requests.h"
#include "tests/windows/remote/remote_work.h"
#include "tests/windows/remote/win32.h"

#define WPERF_WIDE_(text) L##text
#define WPERF_WIDE(text) WPERF_WIDE_(text)

extern "C" const wperf_u8 __ImageBase[];

namespace {

using namespace wperf;

[[noreturn]] void fail(const char* text, wperf_u32 status) {
  wperf_u32 length = 0, written = 0;
  while (text[length] != 0) ++length;
  WriteFile(GetStdHandle(kStandardError), text, length, &written, nullptr);
  ExitProcess(status);
}

template <typename T>
T at(const wperf_u8* from) {
  T value;
  __builtin_memcpy(&value, from, sizeof value);
  return value;
}

struct Code {
  const wperf_u8* bytes = nullptr;
  wperf_u32 size = 0;
};

// The section .remote of this program's own image.
Code find_code() {
  const wperf_u8* header = __ImageBase + at<wperf_u32>(__ImageBase + 0x3c);
  const wperf_u32 sections = at<wperf_u16>(header + 6);
  const wperf_u8* section = header + 24 + at<wperf_u16>(header + 20);
  for (wperf_u32 i = 0; i < sections; ++i, section += 40) {
    if (__builtin_memcmp(section, ".remote", 8) != 0) continue;
    return {__ImageBase + at<wperf_u32>(section + 12), at<wperf_u32>(section + 8)};
  }
  return {};
}

Handle open_path(const wchar_t* path) {
  return CreateFileW(path, kGenericRead | kGenericWrite, 0, nullptr, kOpenExisting, 0, nullptr);
}

Handle open_bridge() {
  static constexpr Guid kInterface = WPERF_INTERFACE_GUID;
  static DeviceInterfaceDetail detail = {8, {}};
  const Handle devices = SetupDiGetClassDevsW(&kInterface, nullptr, nullptr, kPresentInterfaces);
  DeviceInterfaceData data = {sizeof data, {}, 0, 0};
  if (devices != kNoHandle && SetupDiEnumDeviceInterfaces(devices, nullptr, &kInterface, 0, &data) &&
      SetupDiGetDeviceInterfaceDetailW(devices, &data, &detail, sizeof detail, nullptr, nullptr)) {
    const Handle device = open_path(detail.path);
    if (device != kNoHandle) return device;
  }
  return open_path(WPERF_WIDE(WPERF_DEVICE_PATH));
}

// The lowest core this program may run on: its process may be pinned, or only its thread.
wperf_u32 pinned_core() {
  wperf_u64 process = 0, system = 0;
  GetProcessAffinityMask(GetCurrentProcess(), &process, &system);
  const wperf_u64 thread = SetThreadAffinityMask(GetCurrentThread(), process);
  const wperf_u64 mask = thread != 0 ? thread & process : process;
  if (thread != 0) SetThreadAffinityMask(GetCurrentThread(), thread);
  return mask == 0 ? 0 : static_cast<wperf_u32>(__builtin_ctzll(mask));
}

struct Arguments {
  wperf_u64 rounds = 0, core = 0;  // 0: none
};

// The numbers after the program's name.
Arguments arguments() {
  const wchar_t* text = GetCommandLineW();
  const wchar_t end = *text == L'"' ? L'"' : L' ';
  if (end == L'"') ++text;
  while (*text != 0 && *text != end) ++text;
  wperf_u64 numbers[3] = {};  // the first entry is for the text before the first blank, which has no number
  wperf_u32 count = 0;
  for (; *text != 0; ++text) {
    if (*text == L' ' && text[1] != L' ' && count < 2) ++count;
    if (*text >= L'0' && *text <= L'9') numbers[count] = numbers[count] * 10 + static_cast<wperf_u64>(*text - L'0');
  }
  return {numbers[1], numbers[2]};
}

alignas(8) wperf_u8 g_request[sizeof(nthost::RunRequest) + 4096];

}  // namespace

extern "C" void start() {
  const Code code = find_code();
  if (code.size == 0 || code.size > 4096) fail("remote: this image has no section .remote of at most a page\r\n", 3);
  const Handle bridge = open_bridge();
  if (bridge == kNoHandle) fail("remote: there is no bridge driver\r\n", 2);

  const Arguments asked = arguments();
  if (asked.core != 0) SetThreadAffinityMask(GetCurrentThread(), wperf_u64{1} << asked.core);
  nthost::RunRequest request = {};
  request.base = reinterpret_cast<wperf_u64>(code.bytes);
  request.entry_offset = reinterpret_cast<wperf_u64>(&remote_work) - request.base;
  request.argument = asked.rounds;
  request.cpu = pinned_core();
  request.thread = GetCurrentThreadId();
  request.code_size = (code.size + 3) & ~3u;
  __builtin_memcpy(g_request, &request, sizeof request);
  __builtin_memcpy(g_request + sizeof request, code.bytes, code.size);
  wperf_u32 returned = 0;
  const auto request_size = static_cast<wperf_u32>(sizeof request) + request.code_size;
  if (!DeviceIoControl(bridge, bridge::kBridgeRun, g_request, request_size, nullptr, 0, &returned, nullptr))
    fail("remote: the machine does not run the work; is this program pinned to a core other than 0?\r\n", 3);

  const nthost::RunName name = {request.cpu};
  nthost::RunState state = {};
  // Each query disturbs the measurement. So a short program is queried once, and a program that takes long on a slow
  // machine is queried a few times more.
  wperf_u32 pause_ms = 300, waited_ms = 0;
  do {
    Sleep(pause_ms);
    waited_ms += pause_ms;
    pause_ms = waited_ms / 4;
    if (!DeviceIoControl(bridge, bridge::kBridgeRunState, &name, sizeof name, &state, sizeof state, &returned, nullptr))
      fail("remote: the machine is gone\r\n", 3);
  } while (state.condition == nthost::kRunning);
  DeviceIoControl(bridge, bridge::kBridgeStopRun, &name, sizeof name, &state, sizeof state, &returned, nullptr);
  if (state.condition != nthost::kReturned) fail("remote: the work did not come to its end\r\n", 3);
  ExitProcess(0);
}
