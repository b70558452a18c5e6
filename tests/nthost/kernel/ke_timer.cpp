// SPDX-License-Identifier: BSD-3-Clause
// KeInitializeTimerEx, KeSetTimerEx, KeCancelTimer, ExSetTimerResolution.
#include "tests/nthost/kernel/ke_timer.h"

#include "tests/nthost/check.h"
#include "tests/nthost/kernel/irql.h"
#include "tests/nthost/kernel/ke_dpc.h"
#include "tests/nthost/kernel/scheduler.h"

namespace wperf::nthost {
namespace {

constexpr u32 kFinestResolution = 5'000;  // half a millisecond, as on most machines
// The finest requested resolution, and the number of requests that were not withdrawn.
u32 resolution, resolution_requests;

constexpr u64 kUnitsPerSecond = 10'000'000;  // due times are in units of 100 ns

KTIMER* timer_of(LIST_ENTRY* entry) {
  return reinterpret_cast<KTIMER*>(reinterpret_cast<u8*>(entry) - __builtin_offsetof(KTIMER, TimerListEntry));
}

u64 ticks_of_units(u64 units) {
  return units / kUnitsPerSecond * ticks_per_second() + units % kUnitsPerSecond * ticks_per_second() / kUnitsPerSecond;
}

bool is_set(const KTIMER& timer) {
  return timer.TimerListEntry.Flink != nullptr;
}

void unlink(KTIMER& timer) {
  timer.TimerListEntry.Blink->Flink = timer.TimerListEntry.Flink;
  timer.TimerListEntry.Flink->Blink = timer.TimerListEntry.Blink;
  timer.TimerListEntry = {};
}

void link(Cpu& cpu, KTIMER& timer) {
  timer.Processor = cpu.index;
  timer.TimerListEntry = {&cpu.timers, cpu.timers.Blink};
  cpu.timers.Blink->Flink = &timer.TimerListEntry;
  cpu.timers.Blink = &timer.TimerListEntry;
}

void check_initialised(const KTIMER& timer, const char* function) {
  const u8 type = timer.Header.Type;
  if (type != kNotificationTimer && type != kSynchronizationTimer) {
    give_up("{}: the timer at {x} was not initialised", function, &timer);
  }
}

}  // namespace

u64 first_due_timer(const Cpu& cpu) {
  u64 first = ~0ull;
  for (LIST_ENTRY* entry = cpu.timers.Flink; entry != &cpu.timers; entry = entry->Flink) {
    if (timer_of(entry)->DueTime < first) first = timer_of(entry)->DueTime;
  }
  return first;
}

void run_expired_timers(Cpu& cpu) {
  const Guard guard(dispatcher_lock);
  const u64 now = time_ticks();
  for (LIST_ENTRY* entry = cpu.timers.Flink; entry != &cpu.timers;) {
    KTIMER& timer = *timer_of(entry);
    entry = entry->Flink;
    if (timer.DueTime > now) continue;
    unlink(timer);
    if (timer.Period != 0) {
      const u64 period = timer.Period * ticks_per_second() / 1000;
      while (timer.DueTime <= now) timer.DueTime += period;  // a late tick is one tick
      link(cpu, timer);
    }
    timer.Header.SignalState = 1;
    wake_waiters(timer.Header);
    if (timer.Dpc != nullptr) queue_dpc_locked(*timer.Dpc, nullptr, nullptr);
  }
  wake_expired_sleepers(cpu, now);
  arm_clock(cpu);
}

u32 timers_set() {
  const Guard guard(dispatcher_lock);
  u32 count = 0;
  for (u32 i = 0; i < cpu_count(); ++i) {
    Cpu& cpu = cpu_at(i);
    for (LIST_ENTRY* entry = cpu.timers.Flink; entry != &cpu.timers; entry = entry->Flink) ++count;
  }
  return count;
}

u32 timer_resolution() {
  return __atomic_load_n(&resolution, __ATOMIC_ACQUIRE);
}

void forget_timer_resolution() {
  const Guard guard(dispatcher_lock);
  resolution = resolution_requests = 0;
}

void forget_all_timers() {
  const Guard guard(dispatcher_lock);
  for (u32 i = 0; i < cpu_count(); ++i) cpu_at(i).timers = {&cpu_at(i).timers, &cpu_at(i).timers};
}

}  // namespace wperf::nthost

using namespace wperf::nthost;

extern "C" void KeInitializeTimerEx(KTIMER* timer, TIMER_TYPE type) {
  WPERF_ALLOW_UP_TO(kDispatch);
  *timer = {};
  timer->Header.Type = type == NotificationTimer ? kNotificationTimer : kSynchronizationTimer;
  timer->Header.WaitListHead = {&timer->Header.WaitListHead, &timer->Header.WaitListHead};
}

extern "C" BOOLEAN KeSetTimerEx(KTIMER* timer, LARGE_INTEGER due, LONG period_ms, KDPC* dpc) {
  WPERF_ALLOW_UP_TO(kDispatch);
  check_initialised(*timer, __func__);
  // A positive due time is an absolute system time, which this machine does not have.
  if (due.QuadPart > 0) give_up("KeSetTimerEx: absolute due times are not offered");
  const Guard guard(dispatcher_lock);
  const bool was_set = is_set(*timer);
  if (was_set) unlink(*timer);
  timer->Header.SignalState = 0;
  timer->Dpc = dpc;
  timer->Period = static_cast<ULONG>(period_ms);
  timer->DueTime = time_ticks() + ticks_of_units(0 - static_cast<wperf::u64>(due.QuadPart));
  link(this_cpu(), *timer);
  arm_clock(this_cpu());
  return was_set;
}

extern "C" BOOLEAN KeCancelTimer(KTIMER* timer) {
  WPERF_ALLOW_UP_TO(kDispatch);
  check_initialised(*timer, __func__);
  const Guard guard(dispatcher_lock);
  const bool was_set = is_set(*timer);
  if (was_set) unlink(*timer);
  return was_set;
}

extern "C" ULONG ExSetTimerResolution(ULONG desired, BOOLEAN set) {
  WPERF_ALLOW_UP_TO(kApc);
  const Guard guard(dispatcher_lock);
  if (!set) {
    if (resolution_requests == 0) fail("ExSetTimerResolution: nobody asked for one");
    if (resolution_requests != 0 && --resolution_requests == 0) resolution = 0;
    return resolution;
  }
  ++resolution_requests;
  const wperf::u32 possible = desired < kFinestResolution ? kFinestResolution : desired;
  if (resolution == 0 || possible < resolution) resolution = possible;
  return resolution;
}
