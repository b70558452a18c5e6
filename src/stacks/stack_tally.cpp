// SPDX-License-Identifier: BSD-3-Clause
#include "stacks/stack_tally.h"

#include <algorithm>

namespace wperf::stacks {
namespace {

constexpr u64 kRoot = u64{1} << 63;
constexpr u32 kKindShift = 32;
constexpr usize kFewStacks = 1 << 10, kManyStacks = 1 << 20;

u64 child_key(u32 parent, AddressKind kind) {
  return (static_cast<u64>(kind) << kKindShift) | parent;
}

u64 hash_of(u32 space, std::span<const StackFrame> frames) {
  u64 hash = space + 0x9e37'79b9'7f4a'7c15;
  for (const StackFrame& frame : frames) {
    hash = (hash ^ frame.address) * 0x9fb2'1c65'1e98'df25;
    hash ^= hash >> 32;
  }
  return hash;
}

}  // namespace

TalliedNode StackTally::node(u32 number) const {
  const u64 first = nodes_.first(number);
  TalliedNode node;
  node.root = (first & kRoot) != 0;
  node.parent = node.root ? number : static_cast<u32>(first);
  node.kind = static_cast<AddressKind>((first >> kKindShift) & 3);
  node.address = nodes_.second(number);
  return node;
}

// Is the path from the node up to its root this stack?
bool StackTally::leads_to(u32 node, u32 space, std::span<const StackFrame> frames) const {
  for (const StackFrame& frame : frames) {
    const u64 first = nodes_.first(node);
    if ((first & kRoot) != 0 || nodes_.second(node) != frame.address ||
        static_cast<AddressKind>((first >> kKindShift) & 3) != frame.kind) {
      return false;
    }
    node = static_cast<u32>(first);
  }
  return (nodes_.first(node) & kRoot) != 0 && nodes_.second(node) == space;
}

// Down from the root. A stack often differs from the one before in its last frames only.
u32 StackTally::insert_path(u32 space, std::span<const StackFrame> frames) {
  const bool same_root = !last_path_.empty() && last_space_ == space;
  usize depth = 0;
  if (same_root) {
    const usize most = std::min(frames.size(), last_frames_.size());
    while (depth < most && frames[frames.size() - 1 - depth] == last_frames_[depth]) ++depth;
  } else {
    last_space_ = space;
    last_path_.assign(1, nodes_.insert(kRoot, space).id);
  }
  last_frames_.resize(depth);
  last_path_.resize(depth + 1);
  u32 node = last_path_.back();
  for (usize i = frames.size() - depth; i-- > 0;) {
    node = nodes_.insert(child_key(node, frames[i].kind), frames[i].address).id;
    last_frames_.push_back(frames[i]);
    last_path_.push_back(node);
  }
  return node;
}

void StackTally::add(u32 event, u32 task, u32 core, u32 space, std::span<const StackFrame> frames, u64 period) {
  if (known_.size() < kManyStacks && samples_.size() >= known_.size()) {
    known_.assign(known_.empty() ? kFewStacks : known_.size() * 4, Known{});
  }
  // Most stacks came before. A table of those that came last saves walking down the tree, frame by frame.
  Known& known = known_[hash_of(space, frames) & (known_.size() - 1)];
  const bool again = known.node != kNoNode && leads_to(known.node, space, frames);
  if (!again) known.node = insert_path(space, frames);
  const auto is_same = [&](const TalliedSample& row) {
    return row.node == known.node && row.event == event && row.task == task && row.core == core;
  };
  if (!again || !is_same(samples_[known.row])) {
    const auto [row, is_new] = keys_.insert((u64{event} << 32) | known.node, (u64{core} << 32) | task);
    if (is_new) samples_.push_back({event, task, core, known.node, 0, 0});
    known.row = row;
  }
  ++samples_[known.row].count;
  samples_[known.row].period += period;
}

}  // namespace wperf::stacks
