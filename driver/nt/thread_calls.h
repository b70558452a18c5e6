// SPDX-License-Identifier: BSD-3-Clause
// Walks over the stacks of interrupted threads, for Hal::ask_for_user_walk. There are three steps. The overflow
// interrupt can ask only for a deferred call. That call, on the same core, can queue a special kernel APC. The APC runs
// in the thread, where its program's memory may be touched. All memory is allocated before the first interrupt.
//
// A program decides how long its memory takes to become available, and its thread waits for it in the APC, possibly for
// ever. So no code waits long for an APC. When the calls are ended, those still under way are abandoned. An abandoned
// call touches only itself, this file's globals and the code. A block of calls is freed when its last call ends, and
// the code when the last call of all ends (keep_code_for_thread_calls).
#pragma once
#include "base/ints.h"
#include "driver/hal.h"
#include "driver/nt/nt.h"
#include "driver/nt/stack_routines.h"

namespace wperf::driver {

struct ThreadCall;
struct CallSet;

class ThreadCalls {
 public:
  struct Answers {  // <= DISPATCH_LEVEL, anywhere, one at a time
    void (*take)(void* context, u32 ticket, const WalkedStack& stack);
    void (*lose)(void* context, u32 ticket);
  };
  ThreadCalls(const Answers& answers, void* context);
  ~ThreadCalls() = default;
  ThreadCalls(const ThreadCalls&) = delete;
  ThreadCalls& operator=(const ThreadCalls&) = delete;

  bool possible() const { return possible_; }

  static CallSet* make(u32 count);                   // <= DISPATCH_LEVEL; null when memory is exhausted
  void place(CallSet* set);                          // PASSIVE_LEVEL, after end(); `set` may be null
  bool ask(u32 ticket, const UserWalkStart& start);  // called in the interrupt of a program
  // PASSIVE_LEVEL, when interrupts no longer ask. Returns soon; no answer comes afterwards.
  void end();

 private:
  static void on_dpc(KDPC* dpc, PVOID context, PVOID thread, PVOID);
  static void on_apc(KAPC* apc, ApcNormalRoutine**, PVOID*, PVOID*, PVOID*);
  static void on_rundown(KAPC* apc);

  struct LastPart {  // the end of a call, with the lock held
    KIRQL level;
    DRIVER_OBJECT* driver;  // the driver whose code is no longer needed; null if another call takes care of it
  };
  static LastPart answer(ThreadCall& call, bool walked);
  static bool queue_apc(ThreadCall& call, KTHREAD* thread);
  void abandon_rest();
  bool ending() const { return __atomic_load_n(&ending_, __ATOMIC_ACQUIRE); }

  const Answers answers_;
  void* const context_;
  const bool possible_;
  CallSet* set_ = nullptr;
  u32 under_way_ = 0;    // atomic: calls that were requested and are neither answered nor abandoned yet
  bool ending_ = false;  // atomic
  KEVENT none_left_;
};

// Called before the driver's code is unloaded, at PASSIVE_LEVEL. While there are abandoned calls, `driver` has a
// reference that keeps the code in memory; the last call releases it.
void keep_code_for_thread_calls(DRIVER_OBJECT* driver);

}  // namespace wperf::driver
