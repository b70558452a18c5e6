// SPDX-License-Identifier: BSD-3-Clause
// Addresses in a simulated address space. They are random, as with Windows' address space layout randomisation, but a
// function of the seed, so that every run is the same.
#pragma once
#include "base/ints.h"

namespace wperf::sim {

enum class PlacedThing : u8 { program, dll, memory, chance };

inline constexpr u64 kAllocationGranularity = 0x10000;

// 64 random bits, mixed as in SplitMix64.
constexpr u64 random_bits(u64 seed, PlacedThing thing, u64 index) {
  u64 value = seed * 0x9e3779b97f4a7c15 + static_cast<u64>(thing) * 0xd1b54a32d192ed03 + index + 1;
  value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9;
  value = (value ^ (value >> 27)) * 0x94d049bb133111eb;
  return value ^ value >> 31;
}

// A multiple of 64 KiB below slots * 64 KiB.
constexpr u64 random_offset(u64 seed, PlacedThing thing, u64 index, u64 slots) {
  return random_bits(seed, thing, index) % slots * kAllocationGranularity;
}

}  // namespace wperf::sim
