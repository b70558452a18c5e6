// SPDX-License-Identifier: BSD-3-Clause
// Samples as they come, counted by who, where and how they got there; addresses, no names. Stacks are paths in one tree
// that begins at the outermost caller, so memory grows with the number of different stacks and not with that of
// samples. Called by pipeline.
#pragma once
#include <span>
#include <vector>

#include "stacks/id_table.h"

namespace wperf::stacks {

enum class AddressKind : u8 { user = 0, kernel = 1, other = 2 };  // other: of a guest or a hypervisor

struct TalliedNode {
  u32 parent = 0;  // always before it; a root is its own
  AddressKind kind = AddressKind::user;
  u64 address = 0;  // of a root: the space in which user addresses of this stack mean something
  bool is_root() const { return root; }
  bool root = false;
};

struct TalliedSample {
  u32 event = 0, task = 0, core = 0;
  u32 node = 0;
  u64 count = 0, period = 0;
};

// One frame on its way in.
struct StackFrame {
  u64 address = 0;
  AddressKind kind = AddressKind::user;
  bool operator==(const StackFrame&) const = default;
};

class StackTally {
 public:
  // `frames`: innermost first, never empty.
  void add(u32 event, u32 task, u32 core, u32 space, std::span<const StackFrame> frames, u64 period);

  // Nodes are numbered in the order in which they came, parents before children.
  u32 node_count() const { return nodes_.size(); }
  TalliedNode node(u32 number) const;
  const std::vector<TalliedSample>& samples() const { return samples_; }

 private:
  u32 insert_path(u32 space, std::span<const StackFrame> frames);
  bool leads_to(u32 node, u32 space, std::span<const StackFrame> frames) const;

  // A node is known by its parent and kind (first) and its address (second).
  IdTable nodes_;
  static constexpr u32 kNoNode = ~u32{0};
  struct Known {
    u32 node = kNoNode;
    u32 row = 0;  // where its samples were counted last
  };
  std::vector<Known> known_;             // by the hash of a stack; the newest one of a place stays
  std::vector<StackFrame> last_frames_;  // outermost first, of the path that was walked last
  std::vector<u32> last_path_;           // its nodes, the root first
  u32 last_space_ = 0;
  IdTable keys_;  // of samples_
  std::vector<TalliedSample> samples_;
};

}  // namespace wperf::stacks
