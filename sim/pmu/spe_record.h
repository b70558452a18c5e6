// SPDX-License-Identifier: BSD-3-Clause
// The bytes of one SPE record, in the order and size that Neoverse cores write: 64 bytes, every packet at a fixed
// place, zeros between them.
#pragma once
#include <array>

#include "base/ints.h"
#include "sim/cpu/operation.h"

namespace wperf::sim {

inline constexpr usize kSpeRecordSize = 64;
using SpeRecord = std::array<u8, kSpeRecordSize>;

// The fields of a record that do not come from the operation.
struct SpeRecordOptions {
  u32 version = 1;  // ID_AA64DFR0.PMSVer
  u64 events = 0;
  bool context = false, physical = false, timestamp = false;
  u32 context_id = 0;
  u64 ticks = 0;
  u64 previous_target = 0;  // target of the previous branch, in the form of code_address(); 0 at first
};

// Bits of the events packet.
u64 spe_events(const Operation& operation, u32 version);
u32 spe_latency(u32 cycles, u32 version);  // as wide as a counter of this version
// A code address and the level that it was executed at.
u64 spe_code_address(u64 address, Level level);
SpeRecord encode_spe_record(const Operation& operation, const SpeRecordOptions& options);

}  // namespace wperf::sim
