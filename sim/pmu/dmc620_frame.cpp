// SPDX-License-Identifier: BSD-3-Clause
#include "sim/pmu/dmc620_frame.h"

namespace wperf::sim {
namespace {

namespace registers = driver::dmc620;

constexpr u64 kBytesPerRequest = 64;    // the caches request whole lines
constexpr u64 kBytesPerTransfer = 128;  // for one rdwr event

u64 clock_cycles(u64 now_ns, u64 mhz) {
  return now_ns / 1000 * mhz + now_ns % 1000 * mhz / 1000;
}

struct Place {
  u32 counter = registers::kCounters;
  u64 reg = 0;
};

Place place_of(u64 offset) {
  if (offset < registers::kCounterBlocks) return {};
  const u64 counter = (offset - registers::kCounterBlocks) / registers::kCounterBlockSize;
  if (counter >= registers::kCounters) return {};
  return {static_cast<u32>(counter), (offset - registers::kCounterBlocks) % registers::kCounterBlockSize};
}

}  // namespace

u64 dmc_clk_event_value(const DmcInput& input, u32 event) {
  switch (event) {
    case 0x00:  // cycle_count
      return clock_cycles(input.now_ns, kDmcClockMhz);
    case 0x01:  // request
      return (input.traffic.bytes_read + input.traffic.bytes_written) / kBytesPerRequest;
    default:
      return 0;
  }
}

u64 dmc_clkdiv2_event_value(const DmcInput& input, u32 event) {
  switch (event) {
    case 0x00:  // cycle_count
      return clock_cycles(input.now_ns, kDmcClockMhz / 2);
    case 0x12:  // rdwr
      return (input.traffic.bytes_read + input.traffic.bytes_written) / kBytesPerTransfer;
    default:
      return 0;
  }
}

u64 Dmc620Frame::event_value(u32 index, u32 control, const DmcInput& now) {
  const u32 event = registers::event_of_control(control);
  return index >= registers::kFirstClkCounter ? dmc_clk_event_value(now, event) : dmc_clkdiv2_event_value(now, event);
}

void Dmc620Frame::synchronize(const DmcInput& now) {
  for (u32 index = 0; index < registers::kCounters; ++index) {
    Counter& counter = counters_[index];
    const u64 value = event_value(index, counter.control, now);
    if ((counter.control & registers::kControlEnable) != 0) {
      const u64 sum = counter.value + (value - counter.seen);
      counter.value = static_cast<u32>(sum);
      if (sum >> 32 != 0) {
        if (index >= registers::kFirstClkCounter)
          overflow_clk_ |= 1u << (index - registers::kFirstClkCounter);
        else
          overflow_clkdiv2_ |= 1u << index;
      }
    }
    counter.seen = value;
  }
}

u32 Dmc620Frame::read32(u64 offset, const DmcInput& now) {
  for (const registers::IdentityRegister& it : registers::kIdentity)
    if (offset == registers::kIdentityPage + it.offset) return it.value;
  synchronize(now);
  if (offset == registers::kOverflowStatusClkdiv2) return overflow_clkdiv2_;
  if (offset == registers::kOverflowStatusClk) return overflow_clk_;
  const Place place = place_of(offset);
  if (place.counter == registers::kCounters) return 0;
  const Counter& counter = counters_[place.counter];
  if (place.reg < registers::kControl && place.reg % 4 == 0) return counter.filters[place.reg / 4];
  if (place.reg == registers::kControl) return counter.control;
  if (place.reg == registers::kValue) return counter.value;
  return 0;
}

void Dmc620Frame::write32(u64 offset, u32 value, const DmcInput& now) {
  synchronize(now);
  if (offset == registers::kOverflowStatusClkdiv2) overflow_clkdiv2_ &= value;
  if (offset == registers::kOverflowStatusClk) overflow_clk_ &= value;
  const Place place = place_of(offset);
  if (place.counter == registers::kCounters) return;
  Counter& counter = counters_[place.counter];
  if (place.reg < registers::kControl && place.reg % 4 == 0) counter.filters[place.reg / 4] = value;
  if (place.reg == registers::kValue) counter.value = value;
  if (place.reg == registers::kControl) {
    counter.control = value & (registers::kControlEnable | registers::kControlInvert | registers::kControlEventMask |
                               registers::kControlIncrementMask);
    counter.seen = event_value(place.counter, counter.control, now);
  }
}

}  // namespace wperf::sim
