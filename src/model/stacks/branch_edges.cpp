// SPDX-License-Identifier: BSD-3-Clause
#include "model/stacks/branch_edges.h"

#include <algorithm>
#include <unordered_map>

namespace wperf::stacks {
namespace {

void add(const StackSample& sample, BranchEdge& edge) {
  switch (static_cast<BranchCount>(sample.event)) {
    case BranchCount::taken:
      edge.taken += sample.count;
      return;
    case BranchCount::judged:
      edge.judged += sample.count;
      return;
    case BranchCount::mispredicted:
      edge.mispredicted += sample.count;
      return;
    case BranchCount::timed:
      edge.timed += sample.count;
      edge.cycles += sample.period;
      return;
  }
}

}  // namespace

BranchEdges branch_edges(const StackProfile& profile, const StackFilter& filter) {
  const ChosenSamples chosen(profile, filter);
  BranchEdges out;
  std::unordered_map<u64, usize> numbers;  // keyed by the places of both ends
  for (const StackSample& sample : profile.samples) {
    const StackNode& target = profile.nodes[sample.node];
    const u32 from = profile.nodes[target.parent].place;
    if (from == kNothing) continue;
    if (static_cast<BranchCount>(sample.event) == BranchCount::taken) out.recorded += sample.count;
    if (!chosen.has_task(sample)) continue;
    if (!chosen.has_place(target.place) && !chosen.has_place(from)) continue;
    const auto [number, is_new] = numbers.try_emplace(u64{from} << 32 | target.place, out.rows.size());
    if (is_new) out.rows.push_back({.from = from, .to = target.place});
    add(sample, out.rows[number->second]);
    add(sample, out.all);
  }
  std::stable_sort(out.rows.begin(), out.rows.end(),
                   [](const BranchEdge& a, const BranchEdge& b) { return a.taken > b.taken; });
  return out;
}

}  // namespace wperf::stacks
