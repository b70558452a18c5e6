// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/pgo/block_counts.h"

#include <algorithm>
#include <cmath>
#include <span>
#include <unordered_map>
#include <vector>

#include "analysis/pgo/consistent_counts.h"
#include "analysis/pgo/flow_graph.h"

namespace wperf::pgo {
namespace {

using compiler_profiles::AddressCount;
using compiler_profiles::AddressCounts;
using compiler_profiles::BranchCount;

// A slow instruction has more samples than its neighbours, which run equally often. So each instruction counts at most
// 1.5 times the mean of the block. This lowers the mean, so it is repeated. If a profiler samples only one instruction
// in four, every block loses the same part.
double without_slow_instructions(std::span<const AddressCount> samples, double sum, u32 instructions) {
  constexpr u32 kRounds = 3;
  constexpr double kMost = 1.5;
  for (u32 round = 0; round < kRounds; ++round) {
    const double most = std::max(kMost * sum / instructions, 1.0);
    sum = 0;
    for (const AddressCount& one : samples) sum += std::min(static_cast<double>(one.count), most);
  }
  return sum;
}

class BlockCounter {
 public:
  BlockCounter(const modules::CodeFile& file, const AddressCounts& counts, Population population, AddressCounts& out)
      : file_(file), counts_(counts), population_(population), graphs_(file, counts.branches), out_(out) {
    for (const BranchCount& one : counts.branches) recorded_[one.to].branches += one.count * kBlockScale;
    for (const AddressCount& one : counts.entries) recorded_[one.address].entries += one.count * kBlockScale;
  }

  void run() {
    const std::vector<AddressCount>& samples = counts_.samples;
    while (next_ < samples.size()) {
      const u64 address = samples[next_].address;
      const symbols::SymbolizedAddress function = file_.function_at(address, true);
      const bool is_in_function = function.begin <= address && address < function.end;
      const double entries = count(is_in_function ? graphs_.of(function.begin, function.end) : graphs_.around(address));
      if (is_in_function && !function.function.ends_with(kStubEnd)) add_entries(function.begin, entries);
      // The remaining code cannot be decoded.
      const u64 end = is_in_function ? function.end : address + 1;
      for (const AddressCount& one : samples_before(end)) {
        out_.ranges.push_back({one.address, one.address, one.count * kBlockScale});
      }
    }
  }

 private:
  std::span<const AddressCount> samples_before(u64 end) {
    const usize first = next_;
    while (next_ < counts_.samples.size() && counts_.samples[next_].address < end) ++next_;
    return std::span(counts_.samples).subspan(first, next_ - first);
  }

  // Returns how often the first block was entered from elsewhere.
  double count(const FlowGraph& graph) {
    const usize blocks = graph.blocks.size();
    FlowSamples samples;
    std::vector<double> at_end(blocks);  // samples of each block's last instruction
    std::vector<bool> has_samples(blocks);
    for (usize i = 0; i < blocks; ++i) {
      const FlowBlock& block = graph.blocks[i];
      const std::span<const AddressCount> known = samples_before(block.end);
      double sum = 0;
      for (const AddressCount& one : known) sum += static_cast<double>(one.count);
      has_samples[i] = !known.empty();
      if (has_samples[i] && known.back().address == block.last) at_end[i] = static_cast<double>(known.back().count);
      if (population_ == Population::time) sum = without_slow_instructions(known, sum, block.instructions);
      samples.blocks.push_back(sum);
      samples.populations.push_back(population_ == Population::branches ? block.branches : block.instructions);
    }
    samples.edges.assign(graph.edges.size(), FlowSamples::kUnknown);
    if (population_ == Population::time) forget_short_blocks(graph, has_samples, samples);
    if (!counts_.branches.empty()) move_to_edges(graph, at_end, samples);
    const FlowCounts executions = consistent_counts(graph, samples);
    for (usize i = 0; i < blocks; ++i) {
      const u64 count = std::max<u64>(scaled(executions.blocks[i]), has_samples[i] ? 1 : 0);
      if (count != 0) out_.ranges.push_back({graph.blocks[i].begin, graph.blocks[i].last, count});
    }
    return executions.entries;
  }
  static u64 scaled(double count) { return static_cast<u64>(std::llround(count * kBlockScale)); }

  // A timer interrupts some instructions late, so a short block without samples may have run as often as the blocks
  // before and after it.
  static void forget_short_blocks(const FlowGraph& graph, const std::vector<bool>& has_samples, FlowSamples& samples) {
    constexpr u32 kShort = 2;  // instructions
    const usize blocks = graph.blocks.size();
    std::vector<bool> before(blocks), behind(blocks);
    bool before_table = false, behind_table = false;
    for (const FlowEdge& edge : graph.edges) {
      if (has_samples[edge.from]) before[edge.to] = true;
      if (has_samples[edge.to]) behind[edge.from] = true;
    }
    for (usize i = 0; i < blocks; ++i) {
      before_table = before_table || (has_samples[i] && graph.blocks[i].jumps_by_table);
      behind_table = behind_table || (has_samples[i] && graph.blocks[i].is_table_target);
    }
    for (usize i = 0; i < blocks; ++i) {
      const FlowBlock& block = graph.blocks[i];
      if (has_samples[i] || block.instructions > kShort) continue;
      const bool was_before = before[i] || i == 0 || (block.is_table_target && before_table);
      const bool was_behind = behind[i] || block.leaves || (block.jumps_by_table && behind_table);
      if (was_before && was_behind) samples.populations[i] = 0;
    }
  }

  // Recorded branches to the function are entries as well.
  void add_entries(u64 function, double entries) {
    const auto found = recorded_.find(function);
    const Recorded known = found != recorded_.end() ? found->second : Recorded();
    const u64 all = std::max(scaled(entries), known.branches + known.entries);
    if (all > known.branches) out_.entries.push_back({function, all - known.branches});
  }

  // Divides the samples of a conditional branch between its two edges (taken and not taken).
  void move_to_edges(const FlowGraph& graph, const std::vector<double>& at_end, FlowSamples& samples) const {
    for (usize i = 0; i + 1 < graph.edges.size(); ++i) {
      const FlowEdge &next = graph.edges[i], &jump = graph.edges[i + 1];
      if (next.is_taken || !jump.is_taken || next.from != jump.from) continue;
      const double taken = recorded(graph.blocks[jump.from].last, graph.blocks[jump.to].begin);
      samples.edges[i] = std::max(at_end[jump.from] - taken, 0.0);
      samples.edges[i + 1] = taken;
      samples.blocks[jump.from] -= at_end[jump.from];
      samples.populations[jump.from] -= 1;
    }
  }

  double recorded(u64 from, u64 to) const {
    for (const BranchCount& one : branches_from(counts_.branches, from)) {
      if (one.to == to) return static_cast<double>(one.count);
    }
    return 0;
  }

  const modules::CodeFile& file_;
  const AddressCounts& counts_;
  Population population_;
  FlowGraphs graphs_;
  AddressCounts& out_;
  struct Recorded {
    u64 branches = 0, entries = 0;
  };
  std::unordered_map<u64, Recorded> recorded_;  // by target
  usize next_ = 0;                              // index of the next sample
};

}  // namespace

AddressCounts block_counts(const modules::CodeFile& file, const AddressCounts& counts, Population population) {
  AddressCounts out;
  BlockCounter(file, counts, population, out).run();
  for (const BranchCount& one : counts.branches) {
    out.branches.push_back({one.from, one.to, one.count * kBlockScale, one.mispredicted * kBlockScale});
  }
  return out;
}

}  // namespace wperf::pgo
