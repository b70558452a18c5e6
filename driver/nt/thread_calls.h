// SPDX-License-Identifier: BSD-3-Clause
// Calls in interrupted threads, for Hal::ask_for_user_walk: from the overflow interrupt, where nothing but a deferred
// call can be asked for, by that deferred call on the same core, where a special kernel APC can be queued, to the APC
// in the thread, where its program's memory may be touched. Every ticket is answered once: taken, or lost where the
// thread ends, is not the one that runs any more, or nobody wants the answer. Memory is all there before the first
// interrupt.
#pragma once
#include "base/ints.h"
#include "driver/hal.h"
#include "driver/nt/nt.h"
#include "driver/nt/stack_routines.h"

namespace wperf::driver {

class ThreadCalls {
 public:
  struct Answers {
    void (*take)(void* context, u32 ticket);  // APC_LEVEL, in the thread
    void (*lose)(void* context, u32 ticket);  // <= DISPATCH_LEVEL, anywhere
  };
  ThreadCalls(const Answers& answers, void* context);
  ~ThreadCalls() = default;
  ThreadCalls(const ThreadCalls&) = delete;
  ThreadCalls& operator=(const ThreadCalls&) = delete;

  bool possible() const { return possible_; }

  void place(void* memory, u32 count);  // PASSIVE_LEVEL, while none is under way
  bool ask(u32 ticket);                 // in the interrupt of a program
  // PASSIVE_LEVEL, when no interrupt asks any more. Calls that have not begun are lost; returns when the last one has
  // left the driver's code, which may then be unloaded.
  void end();

 private:
  struct Call {
    KDPC dpc;
    KAPC apc;
    ThreadCalls* owner;
  };
  static_assert(sizeof(Call) <= kUserWalkBytes);

  static void on_dpc(KDPC* dpc, PVOID context, PVOID thread, PVOID);
  static void on_apc(KAPC* apc, ApcNormalRoutine**, PVOID*, PVOID*, PVOID*);
  static void on_rundown(KAPC* apc);
  static Call& call_of(KAPC* apc);

  bool queue_apc(Call& call, KTHREAD* thread);
  void answer(const Call& call, void (*how)(void* context, u32 ticket));
  KIRQL enter_last_part();
  bool ending() const { return __atomic_load_n(&ending_, __ATOMIC_ACQUIRE); }

  const Answers answers_;
  void* const context_;
  const bool possible_;
  Call* calls_ = nullptr;
  u32 under_way_ = 0;    // atomic: asked for and not answered yet
  bool ending_ = false;  // atomic
  KSPIN_LOCK lock_ = 0;  // of the last part of each answer
  KEVENT none_left_;
};

}  // namespace wperf::driver
