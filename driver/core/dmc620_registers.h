// SPDX-License-Identifier: BSD-3-Clause
// The performance counters of one DMC-620 memory controller, as laid out in its register frame (Arm CoreLink DMC-620
// TRM, "PMU registers"). Offsets are from the base of the controller's frame. A map of its first page reaches the
// counters; its second page ends with the identification registers. The driver core programs these registers, and the
// simulator's model implements them.
//
//   0xa08  overflow_status_clkdiv2   bit n: counter n passed 2^32; writing 0 clears
//   0xa0c  overflow_status_clk       the same for the clk counters, bit 0 = counter 8
//   0xa10  counter 0: mask, match, control, snapshot, value      0x28 bytes each
//   0xa38  counter 1 …
//   0xb78  counter 9
#pragma once
#include "base/ints.h"

namespace wperf::driver::dmc620 {

inline constexpr u64 kFrameSize = 0x1000;     // the part that must be mapped to count
inline constexpr u64 kIdentityPage = 0x1000;  // … and the part, read only, that identifies it
inline constexpr u64 kIdentitySize = 0x1000;
inline constexpr u64 kPmuOffset = 0xa00;
inline constexpr u64 kOverflowStatusClkdiv2 = kPmuOffset + 0x08;
inline constexpr u64 kOverflowStatusClk = kPmuOffset + 0x0c;

// Counters 0–7 tick at half the memory clock, 8 and 9 at the full clock. Each kind has its own events.
inline constexpr u32 kClkdiv2Counters = 8;
inline constexpr u32 kClkCounters = 2;
inline constexpr u32 kFirstClkdiv2Counter = 0;
inline constexpr u32 kFirstClkCounter = kClkdiv2Counters;
inline constexpr u32 kCounters = kClkdiv2Counters + kClkCounters;

// Registers of counter n: counter_register(n, kValue), all 32 bits wide.
inline constexpr u64 kCounterBlocks = kPmuOffset + 0x10;
inline constexpr u64 kCounterBlockSize = 0x28;
inline constexpr u64 kMaskLow = 0x00;    // MASK_31_00: the bits of a transaction's attributes that must match …
inline constexpr u64 kMaskHigh = 0x04;   // MASK_63_32: … no bit set: every transaction counts
inline constexpr u64 kMatchLow = 0x08;   // MATCH_31_00
inline constexpr u64 kMatchHigh = 0x0c;  // MATCH_63_32
inline constexpr u64 kControl = 0x10;
inline constexpr u64 kSnapshot = 0x18;
inline constexpr u64 kValue = 0x20;
constexpr u64 counter_register(u32 counter, u64 reg) {
  return kCounterBlocks + counter * kCounterBlockSize + reg;
}

// CONTROL
inline constexpr u32 kControlEnable = 1u << 0;
inline constexpr u32 kControlInvert = 1u << 1;
inline constexpr u32 kControlEventShift = 2;  // bits 6:2, which event
inline constexpr u32 kControlEventMask = 0x1fu << kControlEventShift;
inline constexpr u32 kControlIncrementShift = 7;  // bits 8:7, which of the event's increments; 0 = all of it
inline constexpr u32 kControlIncrementMask = 0x3u << kControlIncrementShift;
inline constexpr u32 kMaxEvent = 0x1f;
constexpr u32 control_of_event(u32 event) {
  return (event << kControlEventShift) & kControlEventMask;
}
constexpr u32 event_of_control(u32 control) {
  return (control & kControlEventMask) >> kControlEventShift;
}

// PERIPH_ID_4, _0, _1, _2 and COMPONENT_ID_0 to _3 in the identity page: a PrimeCell component made by Arm (JEP106 code
// 4, 0x3b). Only the low byte of each is compared. The part number is not compared, because the available manuals do
// not give it.
struct IdentityRegister {
  u64 offset;
  u32 mask, value;
};
inline constexpr IdentityRegister kIdentity[] = {
    {0xfd0, 0x0f, 0x04}, {0xfe4, 0xf0, 0xb0}, {0xfe8, 0x0f, 0x0b}, {0xff0, 0xff, 0x0d},
    {0xff4, 0xff, 0xf0}, {0xff8, 0xff, 0x05}, {0xffc, 0xff, 0xb1},
};

static_assert(counter_register(kCounters - 1, kValue) + sizeof(u32) <= kFrameSize);

}  // namespace wperf::driver::dmc620
