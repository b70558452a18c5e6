// SPDX-License-Identifier: BSD-3-Clause
// The PMUs of the memory channels of fake_hal.h: frames of device memory with counters that count the test's events,
// and the functions that map them.
#pragma once
#include <map>

#include "base/event_class.h"
#include "driver/core/dmc620_registers.h"
#include "driver/core/fake_pmu.h"
#include "driver/hal.h"

namespace wperf::driver {

struct FakeDmc {
  u32 words[dmc620::kFrameSize / 4] = {};
  u32 identity[dmc620::kIdentitySize / 4] = {};  // the value that software reads
  u32 mapped = 0, identity_mapped = 0;
  FakeDmc() {
    for (const dmc620::IdentityRegister& it : dmc620::kIdentity) {
      identity[it.offset / 4] = it.value;
    }
  }

  // Advances one step of time: happened(event_class, event) returns how often an event has happened.
  template <class Happened>
  void count(const Happened& happened) {
    for (u32 i = 0; i < dmc620::kCounters; ++i) {
      const u32 control = words[dmc620::counter_register(i, dmc620::kControl) / 4];
      if ((control & dmc620::kControlEnable) == 0) {
        continue;
      }
      const bool clk = i >= dmc620::kFirstClkCounter;
      u32& value = words[dmc620::counter_register(i, dmc620::kValue) / 4];
      u32& status = words[(clk ? dmc620::kOverflowStatusClk : dmc620::kOverflowStatusClkdiv2) / 4];
      u64 overflow = status;
      const u64 more = happened(clk ? EventClass::dmc_clk : EventClass::dmc_clkdiv2, dmc620::event_of_control(control));
      value = static_cast<u32>(FakePmu::add(value, more, 32, 32, overflow, clk ? i - dmc620::kFirstClkCounter : i));
      status = static_cast<u32>(overflow);
    }
  }
};

using FakeFrames = std::map<u64, FakeDmc>;  // by physical address

// Null if there is no such frame or identity page.
inline void* map_frame(FakeFrames& frames, u64 physical, u64 size, DeviceAccess access) {
  const bool identity = access == DeviceAccess::read_only;
  const auto frame = frames.find(identity ? physical - dmc620::kIdentityPage : physical);
  if (frame == frames.end() || size != dmc620::kFrameSize) {
    return nullptr;
  }
  ++(identity ? frame->second.identity_mapped : frame->second.mapped);
  return identity ? static_cast<void*>(frame->second.identity) : frame->second.words;
}

// Returns false if it was not mapped.
inline bool unmap_frame(FakeFrames& frames, void* mapping, u64 size) {
  for (auto& [physical, frame] : frames) {
    u32* const mapped = mapping == frame.words      ? &frame.mapped
                        : mapping == frame.identity ? &frame.identity_mapped
                                                    : nullptr;
    if (mapped != nullptr && *mapped != 0 && size == dmc620::kFrameSize) {
      --*mapped;
      return true;
    }
  }
  return false;
}

// The frame whose identity page is mapped there, or null.
inline const FakeDmc* frame_of_identity(const FakeFrames& frames, const void* mapping) {
  for (const auto& [physical, frame] : frames) {
    if (mapping == frame.identity) {
      return &frame;
    }
  }
  return nullptr;
}

// A word of the counters of a mapped frame, or null.
inline u32* word_of_frame(FakeFrames& frames, const void* mapping, u64 offset) {
  const bool inside = offset >= dmc620::kPmuOffset && offset < dmc620::kFrameSize && offset % 4 == 0;
  for (auto& [physical, frame] : frames) {
    if (mapping == frame.words && frame.mapped != 0 && inside) {
      return &frame.words[offset / 4];
    }
  }
  return nullptr;
}

inline u32 count_mapped(const FakeFrames& frames) {
  u32 mapped = 0;
  for (const auto& [physical, frame] : frames) {
    mapped += frame.mapped + frame.identity_mapped;
  }
  return mapped;
}

}  // namespace wperf::driver
