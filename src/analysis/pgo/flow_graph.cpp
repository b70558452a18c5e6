// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/pgo/flow_graph.h"

namespace wperf::pgo {

using compiler_profiles::BranchCount;

FlowGraphs::FlowGraphs(const modules::CodeFile& file, std::span<const BranchCount> branches)
    : file_(file), branches_(branches) {
  for (const BranchCount& one : branches) targets_.push_back(one.to);
  std::sort(targets_.begin(), targets_.end());
  targets_.erase(std::unique(targets_.begin(), targets_.end()), targets_.end());
}

const FlowGraph& FlowGraphs::of(u64 begin, u64 end) {
  decode(begin, end);
  return of_decoded(begin, end);
}

const FlowGraph& FlowGraphs::around(u64 address) {
  const auto after = std::upper_bound(targets_.begin(), targets_.end(), address);
  u64 begin = after != targets_.begin() ? *std::prev(after) : address;
  u64 end = decode_straight(begin);
  if (end <= address) end = decode_straight(begin = address);
  return of_decoded(begin, end);
}

const FlowGraph& FlowGraphs::of_decoded(u64 begin, u64 end) {
  graph_.blocks.clear();
  graph_.edges.clear();
  ends_.clear();
  find_blocks(begin, end);
  find_edges();
  return graph_;
}

// Returns the end of the code that was decoded.
u64 FlowGraphs::decode_straight(u64 begin) {
  constexpr u64 kMostBytes = 256;
  decode(begin, begin + kMostBytes);
  const auto end = std::ranges::find_if(instructions_, [](const Instruction& one) { return one.flow.ends_block; });
  if (end != instructions_.end()) instructions_.erase(std::next(end), instructions_.end());
  return instructions_.empty() ? begin : instructions_.back().address + instructions_.back().flow.size;
}

void FlowGraphs::decode(u64 begin, u64 end) {
  instructions_.clear();
  const auto code = file_.code(begin, end);
  if (!code.has_value()) return;
  std::span<const std::byte> bytes = code->bytes;
  for (u64 at = begin; at < end;) {
    const symbols::InstructionFlow flow = flows_.at(code->instructions, bytes, at);
    if (flow.size == 0 || flow.size > bytes.size()) return;
    instructions_.push_back({at, flow});
    at += flow.size;
    bytes = bytes.subspan(flow.size);
  }
}

void FlowGraphs::find_blocks(u64 begin, u64 end) {
  std::vector<u64> leaders;
  for (const auto& [address, flow] : instructions_) {
    if (flow.ends_block) leaders.push_back(address + flow.size);
    if (flow.target.has_value() && *flow.target > begin && *flow.target < end) leaders.push_back(*flow.target);
  }
  const auto first = std::lower_bound(targets_.begin(), targets_.end(), begin);
  leaders.insert(leaders.end(), first, std::lower_bound(first, targets_.end(), end));
  std::sort(leaders.begin(), leaders.end());
  auto leader = leaders.begin();
  for (const auto& [address, flow] : instructions_) {
    bool is_first = graph_.blocks.empty();
    for (; leader != leaders.end() && *leader <= address; ++leader) is_first = true;
    if (is_first) {
      graph_.blocks.push_back({.begin = address});
      ends_.emplace_back();
    }
    FlowBlock& block = graph_.blocks.back();
    block.last = address;
    block.end = address + flow.size;
    ++block.instructions;
    block.branches += flow.is_branch ? 1 : 0;
    ends_.back() = flow;
  }
}

std::optional<u32> FlowGraphs::block_at(u64 address) const {
  const auto found = std::lower_bound(graph_.blocks.begin(), graph_.blocks.end(), address,
                                      [](const FlowBlock& block, u64 wanted) { return block.begin < wanted; });
  if (found == graph_.blocks.end() || found->begin != address) return std::nullopt;
  return static_cast<u32>(found - graph_.blocks.begin());
}

void FlowGraphs::find_edges() {
  const auto count = static_cast<u32>(graph_.blocks.size());
  for (u32 i = 0; i < count; ++i) {
    FlowBlock& block = graph_.blocks[i];
    const symbols::InstructionFlow& end = ends_[i];
    const auto target = end.ends_block && end.target.has_value() ? block_at(*end.target) : std::nullopt;
    if (end.falls_through && i + 1 < count) graph_.edges.push_back({i, i + 1, false});
    if (target.has_value()) graph_.edges.push_back({i, *target, true});
    block.jumps_by_table = end.is_indirect;
    const bool jumps_out = end.ends_block && end.target.has_value() && !target.has_value();
    const bool ends_here = !end.falls_through && !end.target.has_value() && !end.is_indirect;
    block.leaves = jumps_out || ends_here || (end.falls_through && i + 1 == count);
  }
  find_table_targets();
}

void FlowGraphs::find_table_targets() {
  std::vector<FlowBlock>& blocks = graph_.blocks;
  std::vector<bool> is_reached(blocks.size());
  for (const FlowEdge& edge : graph_.edges) is_reached[edge.to] = true;
  bool has_table = false, has_target = false;
  for (FlowBlock& block : blocks) {
    if (!block.jumps_by_table) continue;
    has_table = true;
    for (const BranchCount& one : branches_from(branches_, block.last)) {
      if (const auto to = block_at(one.to); to.has_value()) {
        blocks[*to].is_table_target = has_target = true;
      } else {
        block.leaves = true;
      }
    }
  }
  for (usize i = 0; i < blocks.size(); ++i) {
    if (!is_reached[i] && has_table && i != 0) blocks[i].is_table_target = has_target = true;
    blocks[i].enters = i == 0 || (!is_reached[i] && !has_table);
  }
  // A jump by table without a target in the function is a tail call.
  if (has_target) return;
  for (FlowBlock& block : blocks) {
    block.leaves = block.leaves || block.jumps_by_table;
    block.jumps_by_table = false;
  }
}

}  // namespace wperf::pgo
