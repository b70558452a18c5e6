// SPDX-License-Identifier: BSD-3-Clause
#include "driver/core/user_walks.h"

#include "driver/core/single_writer_counter.h"
#include "driver/core/stack_walker.h"

namespace wperf::driver {
namespace {

class WalksLock {
 public:
  explicit WalksLock(Hal& hal) : hal_(hal) { hal_.enter_walks(); }
  ~WalksLock() { hal_.leave_walks(); }
  WalksLock(const WalksLock&) = delete;
  WalksLock& operator=(const WalksLock&) = delete;

 private:
  Hal& hal_;
};

bool is_waiting(const UserWalk& walk) {
  return __atomic_load_n(&walk.waiting, __ATOMIC_ACQUIRE) != 0;
}

// The record is whole: it goes to the ring, without its frames where they do not fit.
void finish(UserWalks& walks, UserWalk& walk, Hal& hal, u32 frames, u32 flags, u64 spent_ns) {
  const WalksLock lock(hal);
  walk.stack.describe(0, frames, flags);
  walk.sample.stack_words = static_cast<u8>(1 + frames);
  bool lost = (flags & WPERF_STACK_LOST) != 0;
  bool kept = walks.done.push(walk.sample, walk.stack.words);
  if (!kept && frames != 0) {
    lost = true;
    walk.stack.describe(0, 0, WPERF_STACK_LOST);
    walk.sample.stack_words = 1;
    kept = walks.done.push(walk.sample, walk.stack.words);
  }
  add_to(walks.spent_ns, spent_ns);
  if (!kept) {
    add_to(walks.lost_ring_full, 1);
  } else if (lost) {
    add_to(walks.lost_stacks, 1);
  } else if ((flags & WPERF_STACK_CUT) != 0) {
    add_to(walks.cut_stacks, 1);
  }
  __atomic_store_n(&walk.waiting, 0, __ATOMIC_RELEASE);
}

}  // namespace

bool ask_for_walk(UserWalks& walks, u32 first_ticket, Hal& hal, const WperfSample& sample,
                  const InterruptedContext& interrupted) {
  u32 index = 0;
  while (index < kWalksPerCore && is_waiting(walks.walks[index])) {
    ++index;
  }
  if (index == kWalksPerCore) {
    return false;
  }
  UserWalk& walk = walks.walks[index];
  walk.sample = sample;
  walk.fp = interrupted.fp;
  walk.sp = interrupted.sp;
  __atomic_store_n(&walk.waiting, 1, __ATOMIC_RELEASE);
  if (hal.ask_for_user_walk(first_ticket + index)) {
    return true;
  }
  __atomic_store_n(&walk.waiting, 0, __ATOMIC_RELEASE);
  return false;
}

void take_walk(UserWalks& walks, u32 index, Hal& hal, u32 max_stack) {
  UserWalk& walk = walks.walks[index];
  if (!is_waiting(walk)) {
    return;
  }
  const u64 begin = hal.time_ns();
  const auto read = [&hal](u64 address, u64(&record)[2]) {
    return hal.read_user_memory(address, record, sizeof record);
  };
  const WalkedChain chain =
      walk_frame_records(walk.fp, {walk.sp, kUserEnd}, CodeSpace::user, walk.stack.words + 1, max_stack, read);
  finish(walks, walk, hal, chain.frames, chain.cut ? u32{WPERF_STACK_CUT} : 0, hal.time_ns() - begin);
}

void lose_walk(UserWalks& walks, u32 index, Hal& hal) {
  if (UserWalk& walk = walks.walks[index]; is_waiting(walk)) {
    finish(walks, walk, hal, 0, WPERF_STACK_LOST, 0);
  }
}

}  // namespace wperf::driver
