// SPDX-License-Identifier: BSD-3-Clause
// Information about files in the form of system calls.
#pragma once
#include "base/ints.h"
#include "sim/nt/guest_files.h"

namespace wperf::sim::nt {

inline constexpr u64 kVolumeSerial = 0x57504552;
inline constexpr u64 kMostAtOnce = 1 << 20;  // bytes of a read or write in one piece

struct FileTimes {
  u64 created = 0, read = 0, written = 0, changed = 0;
};

inline constexpr std::int64_t kSecondsTo1970 = 11'644'473'600;  // since 1601

inline constexpr std::int64_t kTicksPerSecond = 10'000'000;

inline u64 ticks_of(const Moment& moment) {
  const u64 seconds = static_cast<u64>(moment.seconds) + static_cast<u64>(kSecondsTo1970);
  return seconds * static_cast<u64>(kTicksPerSecond) + moment.nanoseconds / 100;
}

// The host has no creation time that could be changed.
inline FileTimes times_of(const FileFacts& facts) {
  const u64 changed = ticks_of(facts.changed);
  return {changed, ticks_of(facts.read), changed, changed};
}

inline constexpr u32 kAttributeReadOnly = 1;

inline u32 attributes_of(const FileFacts& facts) {
  constexpr u32 kFolder = 0x10, kArchive = 0x20;
  return facts.folder ? kFolder : kArchive | (facts.read_only ? kAttributeReadOnly : 0);
}

struct BasicFacts {
  FileTimes times;
  u32 attributes = 0, padding = 0;
};

struct NetworkFacts {
  FileTimes times;
  u64 allocated = 0, bytes = 0;
  u32 attributes = 0, padding = 0;
};

}  // namespace wperf::sim::nt
