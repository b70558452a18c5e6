// SPDX-License-Identifier: BSD-3-Clause
#include "driver/core/user_walks.h"

#include "driver/core/single_writer_counter.h"

namespace wperf::driver {
namespace {

bool is_waiting(const UserWalk& walk) {
  return __atomic_load_n(&walk.waiting, __ATOMIC_ACQUIRE) != 0;
}

bool push(UserWalks& walks, UserWalk& walk, u32 frames, u32 flags) {
  walks.stack.describe(0, frames, flags);
  walk.kept.sample.stack_words = static_cast<u8>(1 + frames);
  return walks.done.push(walk.kept, walks.stack.words);
}

// The record is complete, with its frames in walks.stack. It is pushed to the ring, without the frames if they do not
// fit.
void finish(UserWalks& walks, UserWalk& walk, u32 frames, u32 flags) {
  bool kept = push(walks, walk, frames, flags);
  if (!kept && frames != 0) {
    flags = WPERF_STACK_LOST;
    kept = push(walks, walk, 0, flags);
  }
  if (!kept) {
    add_to(walks.lost_ring_full, 1);
  } else if ((flags & WPERF_STACK_LOST) != 0) {
    add_to(walks.lost_stacks, 1);
  } else if ((flags & WPERF_STACK_CUT) != 0) {
    add_to(walks.cut_stacks, 1);
  }
  __atomic_store_n(&walk.waiting, 0, __ATOMIC_RELEASE);
}

}  // namespace

bool ask_for_walk(UserWalks& walks, u32 first_ticket, Hal& hal, const RingSample& kept,
                  const InterruptedContext& interrupted, u32 max_stack) {
  for (u32 index = 0; index < kWalksPerCore; ++index) {
    UserWalk& walk = walks.walks[index];
    if (is_waiting(walk)) {
      continue;
    }
    walk.kept = kept;
    __atomic_store_n(&walk.waiting, 1, __ATOMIC_RELEASE);
    if (hal.ask_for_user_walk(first_ticket + index, {interrupted.fp, interrupted.sp, max_stack})) {
      return true;
    }
    __atomic_store_n(&walk.waiting, 0, __ATOMIC_RELEASE);  // the next record's walk may use this entry
  }
  return false;
}

void take_walk(UserWalks& walks, u32 index, const WalkedStack& stack) {
  if (UserWalk& walk = walks.walks[index]; is_waiting(walk)) {
    copy_bytes(walks.stack.words + 1, stack.addresses, stack.frames * sizeof(u64));
    add_to(walks.spent_ns, stack.spent_ns);
    finish(walks, walk, stack.frames, stack.cut ? u32{WPERF_STACK_CUT} : 0);
  }
}

void lose_walk(UserWalks& walks, u32 index) {
  if (UserWalk& walk = walks.walks[index]; is_waiting(walk)) {
    finish(walks, walk, 0, WPERF_STACK_LOST);
  }
}

void lose_waiting_walks(UserWalks& walks) {
  for (u32 index = 0; index < kWalksPerCore; ++index) {
    lose_walk(walks, index);
  }
}

}  // namespace wperf::driver
