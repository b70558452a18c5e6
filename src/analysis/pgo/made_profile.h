// SPDX-License-Identifier: BSD-3-Clause
// Writes a sample profile for a compiler, in any of the formats, and reports how much of the recordings is in it.
#pragma once
#include <string>
#include <vector>

#include "analysis/pgo/judgement.h"
#include "analysis/pgo/profile_counts.h"
#include "ground/diag/result.h"
#include "model/request/pgo_work.h"

namespace wperf::pgo {

struct ProfileFacts {
  std::string file;  // name of the profile
  request::PgoFormat format = request::PgoFormat::llvm;
  std::string program;              // name of the profiled binary; empty for a profile of all modules
  usize modules = 1;                // number of modules in the profile
  std::vector<std::string> events;  // events whose samples were used; empty: branch stacks were used
  u64 used = 0;                     // samples or branches
  u64 branches = 0, calls = 0;      // in a .spt file, next to the samples
  u64 all_branches = 0;             // number of branches in branch stacks, if they were used
  u64 of_other_events = 0;
  u64 of_other_binaries = 0, of_other_builds = 0;  // samples, or branches if branch stacks were used
  u64 without_address = 0;                         // samples in files that are not on this machine
  u64 without_symbol = 0;                          // samples that have no name in this format
  u64 without_line = 0;                            // counted instructions without a line
  u64 without_name = 0;     // counted instructions in functions without a known name or declaration
  u64 from_first_line = 0;  // counted instructions in functions whose declaration was not found
  u64 instructions = 0;     // the number of all counted instructions
  u64 undecodable = 0;      // pieces of code that could not be decoded
  u64 without_stack = 0;    // samples in recordings without branch stacks, if other recordings have them
  u64 without_build = 0;    // samples in modules without a GUID
  bool has_branches = false;
  Drops drops;
  u64 samples = 0;  // in the recordings
  u64 branch_stacks = 0;
  std::vector<std::string> losses;  // one sentence each
  Judgement judgement;
  std::string next;  // the compiler command that uses the profile
};

struct ProfileOrder {
  request::PgoFormat format = request::PgoFormat::llvm;
  std::string file;                  // name of the profile
  std::string binary;                // path of the code file if the user named one
  std::vector<std::string> folders;  // folders with sources
};

struct MadeProfile {
  std::string bytes;
  ProfileFacts facts;
};

// `binary` may be null only for a .spt file, which can contain all modules.
diag::Result<MadeProfile> make_profile(const ProfileCounts& counts, const Binary* binary, const ProfileOrder& order);

}  // namespace wperf::pgo
