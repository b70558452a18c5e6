// SPDX-License-Identifier: BSD-3-Clause
// Profiles of many hosts that a database added up: one JSON document with three answers of ClickHouse (JSONCompact),
// {"hosts": …, "stacks": …, "counts": …}. app/fleet requests it. Pure.
#pragma once
#include <string>
#include <vector>

#include "formats/profiles/foreign_profile.h"
#include "model/stacks/growing_array.h"

namespace wperf::profiles {

// The profiles of one host.
struct FleetHost {
  std::string name;
  u64 profiles = 0;
  u64 begin_unix_s = 0, end_unix_s = 0;
  double seconds = 0;  // total duration of its profiles
  u64 missing = 0;     // samples
};

// Reads one answer. An incomplete answer is an error.
diag::Result<std::vector<FleetHost>> read_fleet_hosts(Bytes answer);

struct FleetProfile {
  ForeignProfile whole;  // the samples of all hosts
  std::vector<FleetHost> hosts;
  // One entry for each host; empty if the counts do not name hosts.
  std::vector<stacks::GrowingArray<stacks::StackSample>> samples;

  // Keeps only the samples of one host in `whole`.
  void keep_only(usize host);
};
diag::Result<FleetProfile> read_fleet(Bytes file, const ProfileReadOptions& options, const ProgressCallback& passed);

// Kinds of frames in a row of a stack.
inline constexpr u32 kInlinedFrame = 1, kNamelessFrame = 2, kKernelFrame = 4;

}  // namespace wperf::profiles
