// SPDX-License-Identifier: BSD-3-Clause
// The control-flow graph of one function: its basic blocks, and where execution continues after each.
#pragma once
#include <algorithm>
#include <optional>
#include <span>
#include <vector>

#include "code/modules/code_file.h"
#include "code/symbols/disassembly/instruction_flow.h"
#include "formats/compiler_profiles/compiler_profiles.h"

namespace wperf::pgo {

struct FlowBlock {
  u64 begin = 0, last = 0, end = 0;  // addresses of the first and last instruction, and one past the last byte
  u32 instructions = 0;
  u32 branches = 0;     // instructions that are jumps, calls or returns
  bool leaves = false;  // execution may continue outside the function, or nowhere
  // execution may come from elsewhere: true for the first block and blocks without a predecessor
  bool enters = false;
  bool jumps_by_table = false;   // execution continues at any of the blocks with is_table_target
  bool is_table_target = false;  // a recorded target of such a jump, or a block without other predecessors
};

struct FlowEdge {
  u32 from = 0, to = 0;   // indices of blocks
  bool is_taken = false;  // by a jump; false if execution falls through to the next block
};

struct FlowGraph {
  std::vector<FlowBlock> blocks;  // by address
  std::vector<FlowEdge> edges;    // by `from`; the edge to the next block comes before the jump
};

// The branches from this address. `branches` is sorted.
inline std::span<const compiler_profiles::BranchCount> branches_from(
    std::span<const compiler_profiles::BranchCount> branches, u64 address) {
  const auto range = std::ranges::equal_range(branches, address, {}, &compiler_profiles::BranchCount::from);
  return {range.begin(), range.end()};
}

class FlowGraphs {
 public:
  // The targets of recorded branches include the targets of jumps through tables. `branches` is sorted by address; both
  // must outlive this object.
  FlowGraphs(const modules::CodeFile& file, std::span<const compiler_profiles::BranchCount> branches);

  // The graph of the function in [begin, end), as far as it can be decoded. Valid until the next call.
  const FlowGraph& of(u64 begin, u64 end);
  // The same for code outside of functions, such as stubs of imported functions: the graph extends from the last
  // recorded branch target up to the next jump. Without a recorded target it begins at the address.
  const FlowGraph& around(u64 address);

 private:
  struct Instruction {
    u64 address = 0;
    symbols::InstructionFlow flow;
  };
  const FlowGraph& of_decoded(u64 begin, u64 end);
  void decode(u64 begin, u64 end);
  u64 decode_straight(u64 begin);
  void find_blocks(u64 begin, u64 end);
  void find_edges();
  void find_table_targets();
  std::optional<u32> block_at(u64 address) const;

  const modules::CodeFile& file_;
  std::span<const compiler_profiles::BranchCount> branches_;
  std::vector<u64> targets_;  // of recorded branches
  symbols::InstructionFlows flows_;
  std::vector<Instruction> instructions_;
  std::vector<symbols::InstructionFlow> ends_;  // the last instruction of each block
  FlowGraph graph_;
};

}  // namespace wperf::pgo
