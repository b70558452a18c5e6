// SPDX-License-Identifier: BSD-3-Clause
#include "model/stacks/stack_aggregator.h"

#include <algorithm>

namespace wperf::stacks {
namespace {

constexpr u32 kKindShift = 32;
constexpr u64 kCaller = u64{1} << 34;
static_assert(static_cast<u32>(AddressKind::made) == 3, "two bits of a key are a kind");

u64 address_key(u32 space, AddressKind kind, bool is_caller) {
  const u64 where = kind == AddressKind::user ? space : 0;
  return where | (static_cast<u64>(kind) << kKindShift) | (is_caller ? kCaller : 0);
}

}  // namespace

AggregatedAddress StackAggregator::address(u32 number) const {
  const u64 key = addresses_.first(number);
  return {.space = static_cast<u32>(key),
          .kind = static_cast<AddressKind>((key >> kKindShift) & 3),
          .is_caller = (key & kCaller) != 0,
          .address = addresses_.second(number)};
}

// A stack often differs from the previous one only in its innermost frames.
void StackAggregator::add_stack(u32 space, std::span<const StackFrame> frames) {
  frames = frames.first(std::min(frames.size(), kMostFrames));
  const usize callers = frames.size() - 1;
  const auto key_of = [&](usize i) {
    // If the kernel interrupted user code, the address belongs to the interrupted instruction; it is not a return
    // address.
    const bool is_interrupted = is_user_code(frames[i].kind) && !is_user_code(frames[i - 1].kind);
    return AddressKey{address_key(space, frames[i].kind, !is_interrupted && !frames[i].at_call), frames[i].address};
  };
  const usize most = std::min(callers, last_callers_.size());
  usize depth = 0;
  while (depth < most && key_of(callers - depth) == last_callers_[depth]) ++depth;
  last_callers_.resize(depth);
  for (usize i = callers - depth; i > 0; --i) {
    last_callers_.push_back(key_of(i));
    append_frame(last_callers_.back());
  }
  append_frame({address_key(space, frames[0].kind, false), frames[0].address});
  stacks_.push_back({static_cast<u16>(depth), static_cast<u16>(frames.size() - depth)});
}

// A stack shares its outer part with the previous one, which may share a part with earlier ones.
std::vector<u32> StackAggregator::whole_stack(u32 row, usize begin) const {
  usize missing = stacks_[row].shared;
  std::vector<u32> whole(missing + stacks_[row].own);
  std::copy_n(frames_.all().begin() + begin, stacks_[row].own, whole.begin() + missing);
  while (missing != 0) {
    const Stack& before = stacks_[--row];
    begin -= before.own;
    if (before.shared >= missing) continue;
    std::copy_n(frames_.all().begin() + begin, missing - before.shared, whole.begin() + before.shared);
    missing = before.shared;
  }
  return whole;
}

void StackAggregator::append_frame(const AddressKey& key) {
  constexpr usize kHalf = kWaiting / 2;
  if (arrived_ - settled_ == kWaiting) settle_oldest();
  const u32 hash = IdTable::hash_of(key.where, key.address);
  waiting_[arrived_++ % kWaiting] = {key, hash};
  addresses_.expect(hash);
  if (arrived_ - settled_ > kHalf) addresses_.expect_key(waiting_[(arrived_ - kHalf - 1) % kWaiting].hash);
}

void StackAggregator::settle_oldest() {
  const WaitingFrame& one = waiting_[settled_++ % kWaiting];
  frames_.push_back(addresses_.insert(one.key.where, one.key.address, one.hash).id);
}

void StackAggregator::finish() {
  while (settled_ != arrived_) settle_oldest();
}

GrowingArray<StackSample> StackAggregator::take_samples() {
  finish();
  addresses_.forget_slots();
  std::vector<AddressKey>().swap(last_callers_);
  return rows_.take();
}

}  // namespace wperf::stacks
