// SPDX-License-Identifier: BSD-3-Clause
// The branches and ranges of one recording. They are counted by their places in code files; then each different place
// is converted once to a linked address in its binary.
#pragma once
#include <compare>

#include "analysis/pgo/profile_counts.h"
#include "formats/perf_data/process_history.h"

namespace wperf::pgo {

class RecordedBranches {
 public:
  // Both must outlive this object.
  RecordedBranches(const perf_data::ProcessHistory& history, ProfileCounts& counts)
      : history_(history), counts_(counts) {}

  // A place in a file; known() is false for the kernel and for memory without a file.
  struct CodeLocation {
    u32 code = perf_data::kNoCode;
    u64 offset = 0;
    bool known() const { return code != perf_data::kNoCode; }
    auto operator<=>(const CodeLocation&) const = default;
  };
  CodeLocation location(u32 space, u64 address) const;

  // Unusable branches and ranges are counted as drops.
  void add_branch(const CodeLocation& from, const CodeLocation& to, bool mispredicted);
  void add_range(const CodeLocation& begin, const CodeLocation& last);

  // `recorded` must be read with ReadOptions::code. `branches`: the member of Binary that gets the branches.
  void place(const recording::RecordedSamples& recorded, BranchCounts Binary::* branches);

 private:
  struct Code {
    const modules::CodeFile* file = nullptr;
    usize binary = 0;  // index into the binaries
  };
  Code find_code(const perf_data::MappedCode& code, const recording::RecordedSamples& recorded) const;
  void place_range(const Code& code, u64 begin, u64 last, u64 count);

  const perf_data::ProcessHistory& history_;
  ProfileCounts& counts_;
  std::map<std::pair<CodeLocation, CodeLocation>, BranchTotals> branches_;
  std::map<std::pair<CodeLocation, CodeLocation>, u64> ranges_;
};

}  // namespace wperf::pgo
