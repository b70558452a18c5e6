// SPDX-License-Identifier: BSD-3-Clause
// The branches and ranges of one recording. They are counted by location in code files; then each distinct location is
// converted once to a linked address in its binary.
#pragma once
#include <optional>
#include <vector>

#include "analysis/pgo/profile_counts.h"
#include "formats/perf_data/process_history.h"
#include "model/stacks/hash_slots.h"

namespace wperf::pgo {

class RecordedBranches {
 public:
  // Both must outlive this object. `rvas`: as in ReadOptions.
  RecordedBranches(const perf_data::ProcessHistory& history, ProfileCounts& counts, bool rvas)
      : history_(history), counts_(counts), rvas_(rvas) {}

  // A place in a file; known() is false for the kernel and for memory without a file.
  struct CodeLocation {
    u32 code = perf_data::kNoCode;
    u64 offset = 0;
    bool known() const { return code != perf_data::kNoCode; }
  };
  CodeLocation location(u32 space, u64 address) const;

  // Unusable branches and ranges are counted as drops. A branch from elsewhere only counts as an entry at its target.
  void add_branch(const CodeLocation& from, const CodeLocation& to, bool mispredicted);
  void add_range(const CodeLocation& begin, const CodeLocation& last);

  // `recorded` must be read with ReadOptions::code. `branches` and `entries`: the members of Binary to fill.
  void place(const recording::RecordedSamples& recorded, BranchCounts Binary::* branches,
             EntryCounts Binary::* entries);

 private:
  // Two places in one file, and how often they were recorded.
  struct Pair {
    u32 code = perf_data::kNoCode;
    u64 first = 0, second = 0;
    BranchTotals totals = {};
  };
  class Pairs {
   public:
    BranchTotals& totals(u32 code, u64 first, u64 second) {
      const u64 mixed = (first * 0x9e3779b97f4a7c15u + second) * 0xff51afd7ed558ccdu + code;
      const auto hash = static_cast<u32>(mixed >> 32);
      u32 number = slots_.find(hash, [&](u32 known) {
        return pairs_[known].code == code && pairs_[known].first == first && pairs_[known].second == second;
      });
      if (number == stacks::HashSlots::kNone) {
        number = static_cast<u32>(pairs_.size());
        pairs_.push_back({code, first, second});
        slots_.add(hash, number);
      }
      return pairs_[number].totals;
    }
    const std::vector<Pair>& all() const { return pairs_; }

   private:
    stacks::HashSlots slots_;
    std::vector<Pair> pairs_;
  };
  struct Code {
    const modules::CodeFile* file = nullptr;
    usize binary = kNoBinary;  // index into the binaries
  };
  static constexpr usize kNoBinary = ~usize{0};
  Code find_code(const perf_data::MappedCode& code, const recording::RecordedSamples& recorded) const;
  // The linked address; nullopt if it is not known.
  std::optional<u64> address_in(const Code& code, u64 offset) const;
  void place_range(const Code& code, u64 begin, u64 last, u64 count);

  const perf_data::ProcessHistory& history_;
  ProfileCounts& counts_;
  bool rvas_;
  Pairs branches_, ranges_;
  Pairs entries_;  // the second location is not used
};

}  // namespace wperf::pgo
