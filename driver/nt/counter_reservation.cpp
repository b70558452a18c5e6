// SPDX-License-Identifier: BSD-3-Clause
#include "driver/nt/counter_reservation.h"

#include "base/bits.h"
#include "driver/core/hardware_facts.h"
#include "driver/core/on_core.h"
#include "driver/core/pmu_registers.h"

namespace wperf::driver {
namespace {

// The counters that exist and are unused on every core.
WperfStatus find_idle_counters(Hal& hal, u32* idle) {
  const u32 cores = hal.topology().core_count;
  u32 mask = low_bits(kMaxCounters);
  for (u32 core = 0; core < cores; ++core) {
    u32 here = 0;
    auto look = [&] {
      if (core_counts(hal)) {
        const u64 busy = hal.read_register(Register::pmcntenset) | hal.read_register(Register::pmintenset);
        here = low_bits(counters_of_pmcr(hal.read_register(Register::pmcr))) & ~static_cast<u32>(busy);
      }
    };
    if (const WperfStatus status = run_on(hal, core, look); status != WPERF_OK) {
      return status;
    }
    mask &= here;
  }
  *idle = mask;
  return WPERF_OK;
}

}  // namespace

WperfStatus CounterReservation::take(Hal& hal, u32* free_mask) {
  u32 idle = 0;
  if (const WperfStatus status = find_idle_counters(hal, &idle); status != WPERF_OK) {
    return status;
  }
  bool in_vain = false;
  *free_mask = ask_for_each(idle, &in_vain);
  if (in_vain) {
    *free_mask = ask_for_all(idle);
  }
  return WPERF_OK;
}

void CounterReservation::give_back() {
  for (HANDLE& handle : single_) {
    if (handle != nullptr) {
      static_cast<void>(HalFreeHardwareCounters(handle));
      handle = nullptr;
    }
  }
  if (whole_unit_ != nullptr) {
    static_cast<void>(HalFreeHardwareCounters(whole_unit_));
    whole_unit_ = nullptr;
  }
}

// Reserves the counters one by one, so that other users may keep theirs. `in_vain` is set if this HAL does not reserve
// single counters.
u32 CounterReservation::ask_for_each(u32 wanted, bool* in_vain) {
  u32 granted = 0;
  for (u32 counter = 0; counter < kCounters; ++counter) {
    if (((wanted >> counter) & 1) == 0) {
      continue;
    }
    PHYSICAL_COUNTER_RESOURCE_LIST list = {};
    list.Count = 1;
    list.Descriptors[0].Type = ResourceTypeSingle;
    list.Descriptors[0].u.CounterIndex = counter;
    const NTSTATUS status = HalAllocateHardwareCounters(nullptr, 0, &list, &single_[counter]);
    if (NT_SUCCESS(status)) {
      granted |= u32{1} << counter;
      continue;
    }
    single_[counter] = nullptr;
    if (status != STATUS_INSUFFICIENT_RESOURCES) {
      *in_vain = granted == 0;
      return granted;
    }
  }
  return granted;
}

// In the older meaning of the call, the whole unit is reserved at once.
u32 CounterReservation::ask_for_all(u32 wanted) {
  const NTSTATUS status = HalAllocateHardwareCounters(nullptr, 0, nullptr, &whole_unit_);
  if (NT_SUCCESS(status)) {
    return wanted;
  }
  whole_unit_ = nullptr;
  // Any other answer means that this HAL does not manage reservations; then every counter that does not run is free.
  return status == STATUS_INSUFFICIENT_RESOURCES ? 0 : wanted;
}

}  // namespace wperf::driver
