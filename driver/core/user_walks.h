// SPDX-License-Identifier: BSD-3-Clause
// Samples whose user stacks have not been walked yet. The overflow interrupt may not touch a program's memory. The
// sample waits here until the shell answers with the stack that it walked in the interrupted thread. Then the whole
// record is pushed to a separate ring. There is one set per core: the core's interrupt asks for a walk, and the shell
// answers on the core where the thread runs by then.
#pragma once
#include "abi/wire.h"
#include "base/ints.h"
#include "driver/core/sample_ring.h"
#include "driver/hal.h"

namespace wperf::driver {

inline constexpr u32 kWalksPerCore = 32;  // threads that were interrupted and have not been walked yet

// The words of a stack on the wire: the header, then the frames.
struct StackWords {
  u64 words[1 + WPERF_MAX_STACK];
  void describe(u32 kernel_frames, u32 user_frames, u32 flags) {
    WperfStack header = {};
    header.kernel_frames = static_cast<u8>(kernel_frames);
    header.user_frames = static_cast<u8>(user_frames);
    header.flags = static_cast<u8>(flags);
    copy_bytes(words, &header, sizeof header);
  }
};
static_assert(sizeof(WperfStack) == sizeof(u64) && 1 + WPERF_MAX_STACK <= 255);

// Lives in zeroed memory of Hal::allocate; every field is valid when zeroed.
struct UserWalk {
  u32 waiting;  // atomic: set by the interrupt, cleared by the answer
  RingSample kept;
};

struct UserWalks {
  UserWalk walks[kWalksPerCore];
  SampleRing done;
  StackWords stack;  // used by answers, one at a time
  // Written by the shell's answer, read by drain: atomic.
  u64 lost_ring_full;
  u64 lost_stacks;
  u64 cut_stacks;
  u64 spent_ns;
};

// Called in the overflow interrupt: `kept` waits for its stack of at most `max_stack` frames. `first_ticket` is the
// ticket of this core's first walk. Returns false if the sample cannot wait; then it has no stack.
bool ask_for_walk(UserWalks& walks, u32 first_ticket, Hal& hal, const RingSample& kept,
                  const InterruptedContext& interrupted, u32 max_stack);

// The two answers to a walk: the stack, or that there is no stack.
void take_walk(UserWalks& walks, u32 index, const WalkedStack& stack);
void lose_walk(UserWalks& walks, u32 index);
// Called when no more answers can come: delivers the waiting samples without their stacks.
void lose_waiting_walks(UserWalks& walks);

}  // namespace wperf::driver
