// SPDX-License-Identifier: BSD-3-Clause
// Clocks and sleeping, all in the machine's virtual time.
#include <array>
#include <ctime>

#include "sim/windows/win32_call.h"
#include "sim/windows/win32_surface.h"

namespace wperf::sim {
namespace {

constexpr u64 kNsPerMs = 1'000'000;
constexpr u64 kCounterHz = 10'000'000;  // as on Windows
constexpr u64 kNsPerTick = 1'000'000'000 / kCounterHz;
// The simulated machine was switched on at 2025-01-01 00:00 UTC, in 100 ns since 1601.
constexpr u64 kBootFileTime = (1'735'689'600 + 11'644'473'600) * 10'000'000ull;
constexpr u64 kInterruptMs = 16;  // coarse clocks move with the 64 Hz timer

u64 performance_counter(Win32Call& call) {
  return call.write_value(call.argument(0), call.now_ns / kNsPerTick);
}
u64 performance_frequency(Win32Call& call) {
  return call.write_value(call.argument(0), kCounterHz);
}

u64 coarse_ms(const Win32Call& call) {
  return call.now_ns / kNsPerMs / kInterruptMs * kInterruptMs;
}

u64 tick_count_64(Win32Call& call) {
  return coarse_ms(call);
}
u64 tick_count(Win32Call& call) {
  return static_cast<u32>(coarse_ms(call));
}

u64 file_time(Win32Call& call) {
  (void)call.write_value(call.argument(0), kBootFileTime + coarse_ms(call) * 10'000);
  return 0;
}

u64 file_time_precise(Win32Call& call) {
  (void)call.write_value(call.argument(0), kBootFileTime + call.now_ns / kNsPerTick);
  return 0;
}

u64 system_time(Win32Call& call) {
  constexpr u64 kFileTimeOf1970 = 11'644'473'600 * 10'000'000ull, kTicksPerSecond = 10'000'000;
  const u64 now = kBootFileTime + coarse_ms(call) * 10'000 - kFileTimeOf1970;
  const auto seconds = static_cast<std::time_t>(now / kTicksPerSecond);
  std::tm time{};
  ::gmtime_r(&seconds, &time);
  const std::array<int, 8> parts = {
      time.tm_year + 1900, time.tm_mon + 1, time.tm_wday, time.tm_mday,
      time.tm_hour,        time.tm_min,     time.tm_sec,  static_cast<int>(now % kTicksPerSecond / 10'000)};
  std::array<u16, 8> answer{};  // SYSTEMTIME
  for (usize index = 0; index < parts.size(); ++index) answer[index] = static_cast<u16>(parts[index]);
  (void)call.write_value(call.argument(0), answer);
  return 0;
}

u64 sleep(Win32Call& call) {
  constexpr u32 kInfinite = ~0u;
  const u32 ms = call.argument32(0);
  call.state.current->sleep_until_ns = ms == kInfinite ? ~0ull : call.now_ns + ms * kNsPerMs;
  return 0;
}

constexpr Win32Function kTime[] = {
    {"QueryPerformanceCounter", kKernelDll, performance_counter},
    {"QueryPerformanceFrequency", kKernelDll, performance_frequency},
    {"RtlQueryPerformanceCounter", kNtDll, performance_counter},
    {"RtlQueryPerformanceFrequency", kNtDll, performance_frequency},
    {"GetTickCount", kKernelDll, tick_count},
    {"GetTickCount64", kKernelDll, tick_count_64},
    {"GetSystemTimeAsFileTime", kKernelDll, file_time},
    {"GetSystemTimePreciseAsFileTime", kKernelDll, file_time_precise},
    {"GetSystemTime", kKernelDll, system_time},
    {"Sleep", kKernelDll, sleep},
    {"SleepEx", kKernelDll, sleep},
};

}  // namespace

std::span<const Win32Function> time_functions() {
  return kTime;
}

}  // namespace wperf::sim
