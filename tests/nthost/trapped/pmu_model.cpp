// SPDX-License-Identifier: BSD-3-Clause
#include "tests/nthost/trapped/pmu_model.h"

#include "tests/nthost/trapped/event_rates.h"

namespace wperf::nthost {
namespace {

constexpr u32 kCycles = 31;
constexpr u64 kExcludeKernel = u64{1} << 31;  // in the filter registers: P
constexpr u64 kExcludeUser = u64{1} << 30;    // U
constexpr u64 kTypeBits = 0xfe00'ffff;
constexpr u64 kControlBits = 0x59;  // E, D, DP, LC: bits that software can leave set
constexpr u64 kLongCycles = 1u << 6;
constexpr u64 kImplementer = 0x41;

}  // namespace

u64 PmuModel::filtered(u64 filter, Work work) const {
  return ((filter & kExcludeUser) != 0 ? 0 : work.user) + ((filter & kExcludeKernel) != 0 ? 0 : work.kernel);
}

void PmuModel::add(u32 counter, u64 count) {
  const u64 before = values_[counter];
  values_[counter] = before + count;
  const bool wide = counter == kCycles && (pmcr_ & kLongCycles) != 0;
  const bool lapped = wide ? values_[counter] < before : (before & 0xffff'ffff) + count > 0xffff'ffff;
  if (counter != kCycles) {
    values_[counter] &= 0xffff'ffff;
  }
  if (lapped) {
    overflowed_ |= u64{1} << counter;
  }
}

void PmuModel::advance(Work now) {
  const Work before = last_;
  last_ = now;
  if ((pmcr_ & 1) == 0) {
    return;
  }
  for (u32 counter = 0; counter < counters_; ++counter) {
    if (((enabled_ >> counter) & 1) != 0) {
      const u64 type = types_[counter];
      const u32 event = static_cast<u32>(type & 0xffff);
      add(counter, events_in(event, filtered(type, now)) - events_in(event, filtered(type, before)));
    }
  }
  if (((enabled_ >> kCycles) & 1) != 0) {
    add(kCycles,
        events_in(kCpuCycles, filtered(cycle_filter_, now)) - events_in(kCpuCycles, filtered(cycle_filter_, before)));
  }
}

bool PmuModel::has(PmuRegister reg, u32 index) const {
  return (reg != PmuRegister::evcntr && reg != PmuRegister::evtyper) || index < counters_;
}

bool PmuModel::is_of_windows(PmuRegister reg, u64 value) const {
  constexpr u64 kOwnControl = 1;  // PMCR.E
  constexpr u64 kWritableControl = 0xff;
  switch (reg) {
    case PmuRegister::pmcr:
      return ((value ^ pmcr_) & kWritableControl & ~kOwnControl) != 0;
    case PmuRegister::ccntr:
    case PmuRegister::ccfiltr:
    case PmuRegister::userenr:
      return true;
    case PmuRegister::xevtyper:
    case PmuRegister::xevcntr:
      return selected_ == kCycles;
    case PmuRegister::cntenset:
    case PmuRegister::cntenclr:
    case PmuRegister::ovsset:
    case PmuRegister::ovsclr:
    case PmuRegister::intenset:
    case PmuRegister::intenclr:
      return ((value >> kCycles) & 1) != 0;
    default:
      return false;
  }
}

u64 PmuModel::read(PmuRegister reg, u32 index) const {
  switch (reg) {
    case PmuRegister::pmcr:
      return pmcr_ | (u64{counters_} << 11) | (kImplementer << 24);
    case PmuRegister::cntenset:
    case PmuRegister::cntenclr:
      return enabled_;
    case PmuRegister::ovsset:
    case PmuRegister::ovsclr:
      return overflowed_;
    case PmuRegister::selr:
      return selected_;
    case PmuRegister::ceid0:
      return kTrappedCommonEvents & 0xffff'ffff;
    case PmuRegister::ceid1:
      return kTrappedCommonEvents >> 32;
    case PmuRegister::ccntr:
      return values_[kCycles];
    case PmuRegister::ccfiltr:
      return cycle_filter_;
    case PmuRegister::xevtyper:
      return selected_ == kCycles ? cycle_filter_ : (selected_ < counters_ ? types_[selected_] : 0);
    case PmuRegister::xevcntr:
      return selected_ < counters_ ? values_[selected_] : 0;
    case PmuRegister::userenr:
      return user_access_;
    case PmuRegister::intenset:
    case PmuRegister::intenclr:
      return interrupts_;
    case PmuRegister::evcntr:
      return values_[index];
    case PmuRegister::evtyper:
      return types_[index];
    case PmuRegister::swinc:
    case PmuRegister::pmmir:
      return 0;
  }
  return 0;
}

void PmuModel::write_control(u64 value) {
  pmcr_ = value & kControlBits;
  if ((value & 2) != 0) {
    for (u32 counter = 0; counter < counters_; ++counter) {
      values_[counter] = 0;
    }
  }
  if ((value & 4) != 0) {
    values_[kCycles] = 0;
  }
}

void PmuModel::write(PmuRegister reg, u32 index, u64 value) {
  switch (reg) {
    case PmuRegister::pmcr:
      write_control(value);
      break;
    case PmuRegister::cntenset:
      enabled_ |= value & mask();
      break;
    case PmuRegister::cntenclr:
      enabled_ &= ~value;
      break;
    case PmuRegister::ovsset:
      overflowed_ |= value & mask();
      break;
    case PmuRegister::ovsclr:
      overflowed_ &= ~value;
      break;
    case PmuRegister::swinc:
      for (u32 counter = 0; counter < counters_; ++counter) {
        const u64 bit = u64{1} << counter;
        if ((value & enabled_ & bit) != 0 && (pmcr_ & 1) != 0 && (types_[counter] & 0xffff) == kSwIncrement) {
          add(counter, 1);
        }
      }
      break;
    case PmuRegister::selr:
      selected_ = value & 31;
      break;
    case PmuRegister::ccntr:
      values_[kCycles] = value;
      break;
    case PmuRegister::ccfiltr:
      cycle_filter_ = value & kTypeBits & ~u64{0xffff};
      break;
    case PmuRegister::xevtyper:
      write(selected_ == kCycles ? PmuRegister::ccfiltr : PmuRegister::evtyper, static_cast<u32>(selected_), value);
      break;
    case PmuRegister::xevcntr:
      write(PmuRegister::evcntr, static_cast<u32>(selected_), value);
      break;
    case PmuRegister::userenr:
      user_access_ = value & 0xf;
      break;
    case PmuRegister::intenset:
      interrupts_ |= value & mask();
      break;
    case PmuRegister::intenclr:
      interrupts_ &= ~value;
      break;
    case PmuRegister::evcntr:
      if (index < counters_) {
        values_[index] = value & 0xffff'ffff;
      }
      break;
    case PmuRegister::evtyper:
      if (index < counters_) {
        types_[index] = value & kTypeBits;
      }
      break;
    case PmuRegister::ceid0:
    case PmuRegister::ceid1:
    case PmuRegister::pmmir:
      break;  // read-only; the trap has already refused such writes
  }
}

}  // namespace wperf::nthost
