// SPDX-License-Identifier: BSD-3-Clause
// Windows numbers processors within groups of at most 64; the driver and the user number them from 0 on.
#pragma once
#include <optional>
#include <span>

#include "base/ints.h"

namespace wperf::windows {

struct ProcessorPlace {
  u16 group = 0;
  u64 mask = 0;  // one bit
};

// `group_sizes`: number of active processors in each group. Returns nullopt if there is no such core.
inline std::optional<ProcessorPlace> place_of_core(u32 core, std::span<const u32> group_sizes) {
  for (u16 group = 0; group < group_sizes.size(); ++group) {
    if (core < group_sizes[group]) return ProcessorPlace{.group = group, .mask = u64{1} << core};
    core -= group_sizes[group];
  }
  return std::nullopt;
}

}  // namespace wperf::windows
