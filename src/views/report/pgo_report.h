// SPDX-License-Identifier: BSD-3-Clause
// The judgement of `pgo` as text and JSON: what the profile holds, what was not used, whether it is enough. Pure.
#pragma once
#include <string>
#include <vector>

#include "analysis/pgo/judgement.h"
#include "analysis/pgo/profile_counts.h"

namespace wperf::report {

struct PgoAnswer {
  std::string file, format;         // of the profile
  std::string program;              // its binary; empty for a profile of all modules
  usize modules = 1;                // in the profile
  std::vector<std::string> events;  // whose samples count; empty: branch stacks count
  u64 used = 0;                     // samples, or branches
  u64 of_other_events = 0, of_other_binaries = 0;
  u64 without_address = 0;  // samples in files that are not here
  u64 without_symbol = 0;   // samples that the format cannot name
  u64 without_line = 0;     // of the counted instructions, in no line or in functions without a known declaration
  u64 from_first_line = 0;  // of the counted instructions, in functions whose declaration was not found
  u64 instructions = 0;     // counted, for that
  u64 undecodable = 0;      // stretches of code that could not be decoded
  u64 without_stack = 0;    // samples in recordings without branch stacks, if others have them
  u64 without_build = 0;    // samples in modules without a GUID
  bool has_branches = false;
  pgo::Drops drops;
  u64 samples = 0;  // in the recordings
  u64 branch_stacks = 0;
  std::vector<std::string> losses;  // of the recordings, a sentence each
  pgo::Judgement judgement;
  std::string next;  // the command to run with the profile
};

std::string pgo_text(const PgoAnswer& answer);
std::string pgo_json(const PgoAnswer& answer);

}  // namespace wperf::report
