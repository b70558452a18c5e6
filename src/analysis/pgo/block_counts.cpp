// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/pgo/block_counts.h"

#include <algorithm>
#include <set>
#include <span>
#include <vector>

#include "code/symbols/disassembly/instruction_flow.h"

namespace wperf::pgo {
namespace {

using compiler_profiles::AddressCount;
using compiler_profiles::AddressCounts;
using compiler_profiles::BranchCount;

class BlockCounter {
 public:
  BlockCounter(const modules::CodeFile& file, const AddressCounts& counts, AddressCounts& out)
      : file_(file), samples_(counts.samples), out_(out) {
    for (const BranchCount& one : counts.branches) targets_.push_back(one.to);
    std::sort(targets_.begin(), targets_.end());
  }

  void run() {
    while (next_ < samples_.size()) {
      const u64 address = samples_[next_].address;
      const symbols::SymbolizedAddress function = file_.function_at(address, true);
      const bool is_in_function = function.begin <= address && address < function.end;
      if (is_in_function) walk(function.begin, function.end);
      // The rest cannot be decoded, or is not in a function.
      const u64 end = is_in_function ? function.end : address + 1;
      for (; next_ < samples_.size() && samples_[next_].address < end; ++next_) {
        const AddressCount& one = samples_[next_];
        out_.ranges.push_back({one.address, one.address, one.count * kBlockScale});
      }
    }
  }

 private:
  // Finds the beginnings of blocks in [begin, end).
  void decode(u64 begin, u64 end) {
    leaders_.clear();
    instructions_.clear();
    const auto code = file_.code(begin, end);
    if (!code.has_value()) return;
    std::span<const std::byte> bytes = code->bytes;
    for (u64 at = begin; at < end;) {
      const symbols::InstructionFlow flow = flows_.at(code->instructions, bytes, at);
      if (flow.size == 0 || flow.size > bytes.size()) return;
      instructions_.push_back(at);
      at += flow.size;
      bytes = bytes.subspan(flow.size);
      if (flow.ends_block) leaders_.insert(at);
      if (flow.target.has_value() && *flow.target > begin && *flow.target < end) leaders_.insert(*flow.target);
    }
  }

  void walk(u64 begin, u64 end) {
    decode(begin, end);
    // The targets of recorded jumps include those of jump tables.
    const auto first = std::lower_bound(targets_.begin(), targets_.end(), begin);
    leaders_.insert(first, std::lower_bound(first, targets_.end(), end));
    for (usize i = 0; i < instructions_.size() && next_ < samples_.size();) {
      const auto leader = leaders_.upper_bound(instructions_[i]);
      usize after = i + 1;
      while (after < instructions_.size() && (leader == leaders_.end() || instructions_[after] < *leader)) ++after;
      const u64 stop = after < instructions_.size() ? instructions_[after] : instructions_.back() + 1;
      add_block(instructions_[i], instructions_[after - 1], stop, after - i);
      i = after;
    }
  }

  // The samples before `stop` are in the block.
  void add_block(u64 begin, u64 last, u64 stop, usize instructions) {
    u64 sum = 0;
    for (; next_ < samples_.size() && samples_[next_].address < stop; ++next_) sum += samples_[next_].count;
    if (sum == 0) return;
    out_.ranges.push_back({begin, last, std::max<u64>((sum * kBlockScale + instructions / 2) / instructions, 1)});
  }

  const modules::CodeFile& file_;
  const std::vector<AddressCount>& samples_;
  AddressCounts& out_;
  symbols::InstructionFlows flows_;
  std::vector<u64> targets_;
  std::set<u64> leaders_;
  std::vector<u64> instructions_;  // instructions of the function
  usize next_ = 0;                 // index of the next sample
};

}  // namespace

AddressCounts block_counts(const modules::CodeFile& file, const AddressCounts& counts) {
  AddressCounts out;
  BlockCounter(file, counts, out).run();
  for (const BranchCount& one : counts.branches) {
    out.branches.push_back({one.from, one.to, one.count * kBlockScale, one.mispredicted * kBlockScale});
  }
  return out;
}

}  // namespace wperf::pgo
