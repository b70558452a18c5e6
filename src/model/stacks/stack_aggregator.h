// SPDX-License-Identifier: BSD-3-Clause
// Counts samples by task, place and call path, in the order of arrival, with addresses instead of names. Each different
// stack is stored once, and only the part that it does not share with the previous one. So memory grows with the number
// of different stacks, not with the number of samples.
#pragma once
#include <array>
#include <span>
#include <vector>

#include "model/stacks/id_table.h"
#include "model/stacks/sample_hash.h"
#include "model/stacks/stack_profile.h"

namespace wperf::stacks {

// other: in a guest or a hypervisor. made: code that the program generated at run time. An aggregator has no times, so
// the address of such code is replaced by a number that identifies the code at the time of the sample.
enum class AddressKind : u8 { user = 0, kernel = 1, other = 2, made = 3 };
inline bool is_user_code(AddressKind kind) {
  return kind == AddressKind::user || kind == AddressKind::made;
}

struct AggregatedAddress {
  u32 space = 0;  // for user code: the address space
  AddressKind kind = AddressKind::user;
  bool is_caller = false;  // a return address; false: the sampled instruction itself
  u64 address = 0;
};

// A frame to be added.
struct StackFrame {
  u64 address = 0;
  AddressKind kind = AddressKind::user;
  bool at_call = false;  // for a caller: the address of the call instruction, not of the instruction after it
  bool operator==(const StackFrame&) const = default;
};

class StackAggregator {
 public:
  // Everything about a sample except its stack.
  struct Origin {
    u32 event = 0, task = 0, core = 0;
    u32 space = 0;
    u32 slice = 0;  // the time slice
  };

  static constexpr u32 kNoRow = SampleRows::kNone;
  // Prefetch for a sample that is added soon: first the hash's slot, then the row in it.
  [[gnu::always_inline]] void expect(const SampleHash& hash) const { rows_.expect(hash); }
  [[gnu::always_inline]] void expect_row(const SampleHash& hash) const { rows_.expect_row(hash); }
  // Most samples repeat an earlier one, so their frames need not be read. Adds to the row with this hash and returns
  // it, or kNoRow if there is none.
  u32 add_again(const SampleHash& hash, u64 period) {
    const u32 row = rows_.find(hash);
    if (row != kNoRow) rows_.count(row, period);
    return row;
  }
  // Adds the row of a sample that differs from all earlier ones; its stack follows later. Rows and stacks are separate,
  // so that one thread may add stacks, in the order of their rows, while another one counts and adds rows. The hash
  // must cover the origin (except the slice) and the frames.
  u32 add_row(const SampleHash& hash, const Origin& origin, u64 period) {
    return rows_.add(hash, origin.event, origin.task, origin.core, period);
  }
  // `frames` has the innermost one first and is never empty. If there are more than kMostFrames, the outermost are left
  // out; no record can hold so many.
  static constexpr usize kMostFrames = 0xffff;
  void add_stack(u32 space, std::span<const StackFrame> frames);

  // Called after the last sample. The functions below may be used only after finish().
  void finish();
  u32 address_count() const { return addresses_.size(); }
  AggregatedAddress address(u32 number) const;
  void forget_addresses() { addresses_ = {}; }  // for callers that need only the numbers of addresses
  u32 stack_count() const { return static_cast<u32>(stacks_.size()); }
  // Calls visit(row, depth, own) with the stack of each of these rows, in order, as numbers of addresses. The `depth`
  // outermost frames are the same as in the previous row; `own` are the frames after them, outermost first. For the
  // first row, `own` has all frames.
  template <class Visit>
  void for_each_stack(u32 from, u32 to, Visit visit) const {
    usize begin = 0;
    for (u32 row = 0; row < from; ++row) begin += stacks_[row].own;
    for (u32 row = from; row < to; ++row) {
      const std::span<const u32> own = frames_.all().subspan(begin, stacks_[row].own);
      if (row == from && stacks_[row].shared != 0) {
        visit(row, 0, whole_stack(row, begin));
      } else {
        visit(row, stacks_[row].shared, own);
      }
      begin += stacks_[row].own;
    }
  }
  // Calls finish() and returns the rows, still without nodes. Frees the memory that only adding needs.
  GrowingArray<StackSample> take_samples();

 private:
  // One for each row. This form takes few bytes, however deep the stacks are.
  struct Stack {
    u16 shared = 0, own = 0;
  };
  struct AddressKey {
    u64 where = 0, address = 0;
    bool operator==(const AddressKey&) const = default;
  };
  struct WaitingFrame {
    AddressKey key;
    u32 hash = 0;
  };
  std::vector<u32> whole_stack(u32 row, usize begin) const;  // `begin`: where the row's unshared frames begin
  void append_frame(const AddressKey& key);
  void settle_oldest();

  IdTable addresses_;  // first: kind, space, and whether it is a caller; second: the address
  GrowingArray<Stack> stacks_;
  GrowingArray<u32> frames_;              // numbers of addresses, stack by stack
  std::vector<AddressKey> last_callers_;  // of the newest stack, outermost first
  // The newest frames wait in this ring until their prefetch has finished.
  static constexpr usize kWaiting = 64;
  std::array<WaitingFrame, kWaiting> waiting_;
  usize arrived_ = 0, settled_ = 0;
  SampleRows rows_;
};

}  // namespace wperf::stacks
