// SPDX-License-Identifier: BSD-3-Clause
// Waiting until another thread reports a change: condition variables, and WaitOnAddress. Both keep nothing in the
// program's memory here. Waiting threads are known by address, and the one that waits longest is woken first.
#include <array>
#include <limits>

#include "sim/windows/win32_call.h"
#include "sim/windows/win32_locks.h"
#include "sim/windows/win32_surface.h"

namespace wperf::sim {
namespace {

constexpr u32 kWithoutEnd = ~0u;
constexpr u32 kErrorTimeout = 1460;
constexpr u64 kNsOfMs = 1'000'000;

// The state of its wait when a thread makes its call again.
enum class Wait { begins, goes_on, woken, timed_out };

Wait look(const Win32Call& call, u64 address) {
  const GuestThread& self = *call.state.current;
  if (self.condition != address || address == 0) return Wait::begins;
  if (self.condition_timed_out) return Wait::timed_out;
  if (self.condition_ticket == 0) return Wait::woken;
  return call.now_ns >= self.wait_end_ns ? Wait::timed_out : Wait::goes_on;
}

u64 wait_on(Win32Call& call, u64 address, u32 milliseconds) {
  GuestThread& self = *call.state.current;
  self.condition = address;
  self.condition_timed_out = false;
  self.condition_ticket = ++call.state.condition_tickets;
  self.wait_end_ns =
      milliseconds == kWithoutEnd ? std::numeric_limits<u64>::max() : call.now_ns + u64{milliseconds} * kNsOfMs;
  return call.repeat_after(self.wait_end_ns);
}

void end_wait(GuestThread& thread) {
  thread.condition = 0;
  thread.condition_ticket = 0;
  thread.condition_timed_out = false;
}

void wake(Win32Call& call, bool all) {
  const u64 address = call.argument(0);
  for (;;) {
    GuestThread* next = nullptr;
    for (const auto& thread : call.state.threads) {
      if (thread->condition != address || thread->condition_ticket == 0 || thread->condition_timed_out) continue;
      if (next == nullptr || thread->condition_ticket < next->condition_ticket) next = thread.get();
    }
    if (next == nullptr) return;
    next->condition_ticket = 0;
    next->sleep_until_ns = call.now_ns;
    if (!all) return;
  }
}

u64 wake_one(Win32Call& call) {
  wake(call, false);
  return 0;
}
u64 wake_all(Win32Call& call) {
  wake(call, true);
  return 0;
}

// The lock is free while the thread waits. The thread holds it again when the call ends, for whatever reason.
template <class Take, class Release>
u64 sleep_with_lock(Win32Call& call, Take take, Release release) {
  const u64 address = call.argument(0);
  GuestThread& self = *call.state.current;
  const Wait wait = look(call, address);
  if (wait == Wait::begins) {
    release();
    return call.outcome() == CallOutcome::resume ? wait_on(call, address, call.argument32(2)) : 0;
  }
  if (wait == Wait::goes_on) return call.repeat_after(self.wait_end_ns);
  self.condition_timed_out = wait == Wait::timed_out;
  const u64 answer = take();
  if (self.wanted_lock != 0 || call.outcome() != CallOutcome::resume) return answer;
  end_wait(self);
  return wait == Wait::woken ? 1 : call.fail(kErrorTimeout);
}

u64 sleep_with_section(Win32Call& call) {
  const u64 section = call.argument(1);
  return sleep_with_lock(call, [&] { return take_section(call, section); }, [&] { leave_section(call, section); });
}

u64 sleep_with_slim(Win32Call& call) {
  constexpr u32 kShared = 1;
  const u64 lock = call.argument(1);
  const bool shared = (call.argument32(3) & kShared) != 0;
  return sleep_with_lock(call, [&] { return take_slim(call, lock, shared); }, [&] { release_slim(call, lock); });
}

u64 initialize_condition(Win32Call& call) {
  (void)call.write_value(call.argument(0), u64{0});
  return 0;
}

// Returns at once if the value differs already.
u64 wait_on_address(Win32Call& call) {
  const u64 address = call.argument(0), size = call.argument(2);
  GuestThread& self = *call.state.current;
  switch (look(call, address)) {
    case Wait::goes_on:
      return call.repeat_after(self.wait_end_ns);
    case Wait::woken:
      end_wait(self);
      return 1;
    case Wait::timed_out:
      end_wait(self);
      return call.fail(kErrorTimeout);
    case Wait::begins:
      break;
  }
  if (size != 1 && size != 2 && size != 4 && size != 8) return call.fail(kErrorInvalidParameter);
  std::array<u8, 8> now{}, expected{};
  if (!call.read(address, now.data(), size) || !call.read(call.argument(1), expected.data(), size)) return 0;
  return now != expected ? 1 : wait_on(call, address, call.argument32(3));
}

constexpr Win32Function kCondition[] = {
    {"InitializeConditionVariable", kKernelDll, initialize_condition},
    {"SleepConditionVariableCS", kKernelDll, sleep_with_section},
    {"SleepConditionVariableSRW", kKernelDll, sleep_with_slim},
    {"WakeConditionVariable", kKernelDll, wake_one},
    {"WakeAllConditionVariable", kKernelDll, wake_all},
    {"WaitOnAddress", kKernelDll, wait_on_address},
    {"WakeByAddressSingle", kKernelDll, wake_one},
    {"WakeByAddressAll", kKernelDll, wake_all},
};

}  // namespace

std::span<const Win32Function> condition_functions() {
  return kCondition;
}

}  // namespace wperf::sim
