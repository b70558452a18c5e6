// SPDX-License-Identifier: BSD-3-Clause
// Profiles of many hosts as a database answers for them, already added up there: one JSON document with three answers
// of ClickHouse (JSONCompact), {"hosts": …, "stacks": …, "counts": …}. app/fleet asks for it. Pure.
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
  double seconds = 0;  // recorded, all profiles together
  u64 missing = 0;     // samples
};

// One answer. Not complete: an error.
diag::Result<std::vector<FleetHost>> read_fleet_hosts(Bytes answer);

struct FleetProfile {
  ForeignProfile whole;  // with the samples of all hosts
  std::vector<FleetHost> hosts;
  // By host; empty if the counts do not name hosts.
  std::vector<stacks::GrowingArray<stacks::StackSample>> samples;

  // Leaves in `whole` only what one host has.
  void keep_only(usize host);
};
diag::Result<FleetProfile> read_fleet(Bytes file, const ProfileWishes& wishes, const TellPassed& passed);

// Frames in a row of a stack.
inline constexpr u32 kInlinedFrame = 1, kNamelessFrame = 2, kKernelFrame = 4;

}  // namespace wperf::profiles
