// SPDX-License-Identifier: BSD-3-Clause
// A program's questions to Windows itself: its version and places, random numbers, exceptions and variables.
#include <algorithm>
#include <array>

#include "sim/windows/placement.h"
#include "sim/windows/win32_file.h"
#include "sim/windows/win32_surface.h"

namespace wperf::sim {
namespace {

u64 succeed_always(Win32Call&) {
  return 1;
}

// A fault ends the program here, so handlers are never called. The returned value stands for the handler's place in the
// list.
u64 add_exception_handler(Win32Call& call) {
  return call.argument(1);
}

u64 refuse(Win32Call& call) {
  return call.fail(kErrorNotSupported);
}

// Copies into a buffer whose capacity is in memory; the needed size is written back there.
u64 answer_with_capacity(Win32Call& call, std::string_view text, u32 too_small, bool counts_the_end) {
  u32 capacity = 0;
  if (!call.read_value(call.argument(2), capacity)) return 0;
  const auto length = static_cast<u32>(text.size());
  const bool fits = capacity > length;
  if (!call.write_value(call.argument(2), fits && !counts_the_end ? length : length + 1)) return 0;
  return fits ? u64{call.write_name(call.argument(1), true, text)} : call.fail(too_small);
}

u64 computer_name(Win32Call& call) {  // kind of name, buffer, capacity
  constexpr u32 kMoreData = 234;
  return answer_with_capacity(call, "SIMULATED", kMoreData, false);
}

u64 profile_directory(Win32Call& call) {  // token, buffer, capacity
  return answer_with_capacity(call, kGuestFolder, kErrorInsufficientBuffer, true);
}

// Each part of a version has three bits, selected by the part's own bit: minor, major, build, …
u64 version_condition(Win32Call& call) {  // mask, parts, condition
  u64 mask = call.argument(0);
  for (u32 part = 0; part < 8; ++part)
    if ((call.argument32(1) >> part & 1) != 0) mask |= (call.argument(2) & 7) << (3 * part);
  return mask;
}

// Gives the same bytes in every run of a machine with the same seed.
u64 fill_random(Win32Call& call) {
  std::array<u8, 4096> piece{};
  const u64 address = call.argument(0), size = call.argument(1);
  for (u64 done = 0; done < size;) {
    const u64 now = std::min<u64>(size - done, piece.size());
    for (u64 index = 0; index < now; ++index)
      piece[index] = static_cast<u8>(random_bits(call.state.seed, PlacedThing::chance, call.state.chances++));
    if (!call.write(address + done, piece.data(), now)) return 0;
    done += now;
  }
  return 1;
}

u64 error_of_status(Win32Call& call) {
  constexpr u32 kErrorCannotTranslate = 317;
  struct Pair {
    u32 status, error;
  };
  constexpr std::array<Pair, 6> kKnown = {{{0, 0},
                                           {0xc0000008, kErrorInvalidHandle},
                                           {0xc0000011, kErrorHandleEof},
                                           {0xc0000022, kErrorAccessDenied},
                                           {0xc0000034, kErrorFileNotFound},
                                           {0xc0000185, kErrorIoDevice}}};
  for (const Pair& known : kKnown)
    if (known.status == call.argument32(0)) return known.error;
  return kErrorCannotTranslate;
}

constexpr Win32Function kSystem[] = {
    {"AddVectoredExceptionHandler", kKernelDll, add_exception_handler},
    {"SetThreadStackGuarantee", kKernelDll, succeed_always},
    {"SetThreadDescription", kKernelDll, succeed_always},
    {"FlushInstructionCache", kKernelDll, succeed_always},
    {"CreateWaitableTimerExW", kKernelDll, refuse},   // programs use Sleep if there is no timer
    {"SetEnvironmentVariableW", kKernelDll, refuse},  // variables are those the program was started with
    {"GetComputerNameExW", kKernelDll, computer_name},
    {"GetUserProfileDirectoryW", kKernelDll, profile_directory},
    {"VerSetConditionMask", kKernelDll, version_condition},
    {"VerifyVersionInfoW", kKernelDll, succeed_always},  // Windows 11, which is as new as any program requires
    {"ProcessPrng", kKernelDll, fill_random},
    {"RtlNtStatusToDosError", kNtDll, error_of_status},
};

}  // namespace

std::span<const Win32Function> system_functions() {
  return kSystem;
}

}  // namespace wperf::sim
