// SPDX-License-Identifier: BSD-3-Clause
// The SPE of one core of fake_hal.h: registers, and hardware that takes the records a test gives it. The latest record
// is in flight until a barrier or the next record, as on real hardware, so a driver that forgets the barrier loses it.
// A full buffer stops the SPE; records are written at PMBPTR if PMBLIMITR allows it.
#pragma once
#include <cstring>
#include <functional>
#include <vector>

#include "driver/core/spe_registers.h"
#include "driver/hal.h"

namespace wperf::driver {

inline constexpr usize kFakeRecord = 64;  // the longest record; with less room the buffer is full

// A PMSIDR: filters events, absent events, types, latency; at least 1024 operations, 12 bits of latency, records of 64
// bytes.
inline constexpr u64 kAllOfSpe = 0x2'6447;

struct FakeSpe {
  u64 pmscr = 0, pmsicr = 0, pmsirr = 0, pmsfcr = 0, pmsevfr = 0, pmsnevfr = 0, pmslatfr = 0;
  u64 pmblimitr = 0, pmbptr = 0, pmbsr = 0;
  std::vector<u8> in_flight;
  bool unsynchronised = false;  // a register that profiling depends on was written without a barrier afterwards
  bool operator==(const FakeSpe& other) const = default;

  bool profiling() const {
    return (pmscr & kPmscrProfiles) != 0 && (pmblimitr & kPmblimitrEnable) != 0 && (pmbsr & kPmbsrService) == 0;
  }
  // Returns false, and makes no record, if no operation was chosen.
  bool choose(const std::vector<u8>& record) {
    if (!profiling()) {
      return false;
    }
    land();
    in_flight = record;
    return true;
  }
  void land() {
    if (!in_flight.empty()) {
      void* to = reinterpret_cast<void*>(pmbptr);  // NOLINT(performance-no-int-to-ptr): a register holds an address
      std::memcpy(to, in_flight.data(), in_flight.size());
      pmbptr += in_flight.size();
      in_flight.clear();
      if ((pmblimitr & ~(kSpePage - 1)) - pmbptr < kFakeRecord) {
        pmbsr |= kPmbsrService | 1;
      }
    }
  }
  u64* find(Register reg) {
    switch (reg) {
      case Register::pmscr:
        return &pmscr;
      case Register::pmsicr:
        return &pmsicr;
      case Register::pmsirr:
        return &pmsirr;
      case Register::pmsfcr:
        return &pmsfcr;
      case Register::pmsevfr:
        return &pmsevfr;
      case Register::pmsnevfr:
        return &pmsnevfr;
      case Register::pmslatfr:
        return &pmslatfr;
      case Register::pmblimitr:
        return &pmblimitr;
      case Register::pmbptr:
        return &pmbptr;
      case Register::pmbsr:
        return &pmbsr;
      default:
        return nullptr;
    }
  }
  // Returns the reason why writing `value` is wrong, or null.
  const char* store(Register reg, u64 value, u64 filterable_events) {
    const bool profiles = (pmscr & kPmscrProfiles) != 0;
    if (reg == Register::pmscr) {
      const bool begins = (value & kPmscrProfiles) != 0;
      pmscr = value;
      return begins && unsynchronised ? "profiling began before its registers were set" : nullptr;
    }
    const bool filters = reg == Register::pmsevfr || reg == Register::pmsnevfr;
    *find(reg) = filters ? value & filterable_events : value;
    unsynchronised = true;
    if (profiles && reg != Register::pmbsr) {
      return "a profiling register written while profiling";
    }
    if (reg == Register::pmbptr && (pmblimitr & kPmblimitrEnable) != 0) {
      return "PMBPTR written while its buffer is enabled";
    }
    return nullptr;
  }
};

}  // namespace wperf::driver
