// SPDX-License-Identifier: BSD-3-Clause
// HalAllocateHardwareCounters, HalFreeHardwareCounters and, through HalDispatchTable, HalSetSystemInformation. Counters
// are reserved as Microsoft's page describes it: a list of single counters or ranges, or the whole unit.
#include "tests/nthost/check.h"
#include "tests/nthost/driver_loader.h"
#include "tests/nthost/driver_under_test.h"
#include "tests/nthost/kernel/interrupts.h"
#include "tests/nthost/kernel/irql.h"
#include "tests/nthost/kernel/kernel_state.h"

namespace wperf::nthost {
namespace {

constexpr u32 kMostSets = 32;
constexpr u64 kFirstHandle = 0x5e7'0000;

SpinLock lock;
u32 sets[kMostSets];  // the driver's counters: a bit per counter; 0 = the entry is free
u32 elsewhere = 0;
bool lists_are_offered = true;
bool handler_is_offered = true;

u32 all_counters() {
  const u32 count = WPERF_READ_SYSREG("pmcr_el0") >> 11 & 31;
  return static_cast<u32>((1ull << count) - 1);
}

u32 taken() {
  u32 mask = elsewhere;
  for (const u32 set : sets) mask |= set;
  return mask;
}

// The counters in a list; 0 if the list is not valid.
u32 mask_of(const PHYSICAL_COUNTER_RESOURCE_LIST& list) {
  u32 mask = 0;
  for (u32 i = 0; i < list.Count; ++i) {
    const PHYSICAL_COUNTER_RESOURCE_DESCRIPTOR& it = list.Descriptors[i];
    if (it.Flags != 0) return 0;
    const u32 first = it.Type == ResourceTypeSingle ? it.u.CounterIndex : it.u.Range.Begin;
    const u32 last = it.Type == ResourceTypeSingle ? first : it.u.Range.End;
    if (it.Type > ResourceTypeRange || first > last || last > 30) return 0;
    for (u32 counter = first; counter <= last; ++counter) mask |= 1u << counter;
  }
  return (mask & ~all_counters()) != 0 ? 0 : mask;
}

NTSTATUS set_information(HAL_SET_INFORMATION_CLASS information_class, ULONG size, PVOID buffer) {
  allow_only(kPassive, "HalSetSystemInformation");
  if (information_class != HalProfileSourceInterruptHandler || size != sizeof(ProfileHandler)) {
    return STATUS_INVALID_PARAMETER;
  }
  if (!handler_is_offered) return STATUS_NOT_SUPPORTED;
  const ProfileHandler wanted = *static_cast<ProfileHandler*>(buffer);
  if (wanted != nullptr && offset_in_image(reinterpret_cast<u64>(wanted)) == ~0ull) {
    fail("HalSetSystemInformation: the handler {x} is not in the driver", reinterpret_cast<u64>(wanted));
  }
  set_profile_handler(wanted);
  return STATUS_SUCCESS;
}

}  // namespace

void hold_counters_elsewhere(u32 count) {
  const Guard guard(lock);
  elsewhere = static_cast<u32>((1ull << count) - 1) & all_counters();
}

u32 counters_held_by_driver() {
  const Guard guard(lock);
  u32 mask = 0;
  for (const u32 set : sets) mask |= set;
  return static_cast<u32>(__builtin_popcount(mask));
}

void offer_single_counters(bool offered) {
  lists_are_offered = offered;
}
void offer_interrupt_handler(bool offered) {
  handler_is_offered = offered;
}

bool interrupt_handler_is_drivers() {
  const ProfileHandler handler = profile_handler();
  return handler != nullptr && offset_in_image(reinterpret_cast<u64>(handler)) != ~0ull;
}

u64 profile_interrupts(u32 cpu) {
  return __atomic_load_n(&cpu_at(cpu).profile_interrupts, __ATOMIC_RELAXED);
}

void report_hal_leaks() {
  if (interrupt_handler_is_drivers()) {
    if (!is_driver_pinned()) fail("leak: the profile interrupt still goes to the driver");
    set_profile_handler(nullptr);
  }
  if (counters_held_by_driver() != 0) fail("leak: {} counters are still allocated", counters_held_by_driver());
  const Guard guard(lock);
  for (u32& set : sets) set = 0;
}

void reset_hal() {
  hold_counters_elsewhere(0);
  offer_single_counters(true);
  offer_interrupt_handler(true);
}

}  // namespace wperf::nthost

using namespace wperf::nthost;

extern "C" NTSTATUS HalAllocateHardwareCounters(GROUP_AFFINITY* affinities, ULONG affinity_count,
                                                PHYSICAL_COUNTER_RESOURCE_LIST* resources, HANDLE* counters) {
  WPERF_ALLOW_ONLY(kPassive);
  *counters = nullptr;
  if (affinities != nullptr || affinity_count != 0) give_up("{}: only all processors are offered", __func__);
  if (resources != nullptr && !lists_are_offered) return STATUS_NOT_SUPPORTED;
  const wperf::u32 wanted = resources == nullptr ? all_counters() : mask_of(*resources);
  if (wanted == 0) return STATUS_INVALID_PARAMETER;
  const Guard guard(lock);
  if ((taken() & wanted) != 0) return STATUS_INSUFFICIENT_RESOURCES;
  for (wperf::u32 i = 0; i < kMostSets; ++i) {
    if (sets[i] != 0) continue;
    sets[i] = wanted;
    *counters = reinterpret_cast<HANDLE>(kFirstHandle + 8 * i);
    return STATUS_SUCCESS;
  }
  return STATUS_INSUFFICIENT_RESOURCES;
}

extern "C" NTSTATUS HalFreeHardwareCounters(HANDLE counters) {
  WPERF_ALLOW_ONLY(kPassive);
  const wperf::u64 index = (reinterpret_cast<wperf::u64>(counters) - kFirstHandle) / 8;
  const Guard guard(lock);
  if (index >= kMostSets || sets[index] == 0) {
    fail("HalFreeHardwareCounters: {x} is no set of counters", counters);
    return STATUS_INVALID_PARAMETER;
  }
  sets[index] = 0;
  return STATUS_SUCCESS;
}

HAL_DISPATCH HalDispatchTable = {4, nullptr, &set_information};
