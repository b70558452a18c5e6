// SPDX-License-Identifier: BSD-3-Clause
#include "driver/nt/thread_calls.h"

#include "driver/nt/clock.h"
#include "driver/nt/pool.h"

namespace wperf::driver {

enum CallState : u32 {
  kFree,
  kOut,        // requested, not answered yet
  kAbandoned,  // the answer is no longer wanted
};

struct CallBlock;

struct ThreadCall {
  KDPC dpc;
  KAPC apc;
  ThreadCalls* owner;  // while the call is under way
  CallBlock* block;
  u32 state;  // atomic, a CallState
  u32 ticket;
  UserWalkStart start;
  WalkedStack stack;
};

// The calls of one core share a block of memory, so that a call that does not end keeps no more than this block.
struct CallBlock {
  static constexpr u32 kCalls = 32;
  u32 abandoned;  // number of abandoned calls
  bool given_up;  // only its abandoned calls still need it
  ThreadCall calls[kCalls];
};

struct CallSet {
  u32 count;
  CallBlock* blocks[1];  // the array continues beyond the struct
};

namespace {

constexpr LONGLONG kPatience = -200'000;  // 20 ms, relative. A walk over memory that is present takes a thousandth of
                                          // that

// State that outlives every device.
struct {
  KSPIN_LOCK lock;        // protects the last part of each call, and the values it depends on
  u32 abandoned;          // number of abandoned calls
  DRIVER_OBJECT* driver;  // referenced until the calls have ended
} all_calls;

bool is_abandoned(const ThreadCall& call) {
  return __atomic_load_n(&call.state, __ATOMIC_ACQUIRE) == kAbandoned;
}

void set_state(ThreadCall& call, CallState state) {
  __atomic_store_n(&call.state, state, __ATOMIC_RELEASE);
}

ThreadCall& call_of(KAPC* apc) {
  return *reinterpret_cast<ThreadCall*>(reinterpret_cast<u8*>(apc) - __builtin_offsetof(ThreadCall, apc));
}

// A read may never return, so every walk first checks whether it is still wanted. Not inlined: with these variables the
// caller could not end with a jump, but would have to return.
__declspec(noinline) void walk(ThreadCall& call) {
  const u64 begin = performance_time_ns();
  const auto read = [&call](u64 address, u64(&record)[2]) {
    return !is_abandoned(call) && read_user_memory(address, record, sizeof record);
  };
  const StackRange limits = is_abandoned(call) ? StackRange{0, 0} : user_stack_limits();
  walk_user_stack(call.start, limits, call.stack, read);
  call.stack.spent_ns = performance_time_ns() - begin;
}

// Called at the end of an abandoned call. The last call of a block that was given up frees the block.
void end_abandoned(ThreadCall& call) {
  CallBlock& block = *call.block;
  set_state(call, kFree);
  if (--block.abandoned == 0 && block.given_up) {
    free_pool(&block);
  }
}

void free_set(CallSet* set) {
  for (u32 i = 0; i < set->count; ++i) {
    CallBlock& block = *set->blocks[i];
    const KIRQL level = KeAcquireSpinLockRaiseToDpc(&all_calls.lock);
    block.given_up = true;
    const bool unused = block.abandoned == 0;
    KeReleaseSpinLock(&all_calls.lock, level);
    if (unused) {
      free_pool(&block);
    }
  }
  free_pool(set);
}

}  // namespace

ThreadCalls::ThreadCalls(const Answers& answers, void* context)
    : answers_(answers), context_(context), possible_(find_stack_routines()) {
  KeInitializeEvent(&none_left_, NotificationEvent, FALSE);
}

CallSet* ThreadCalls::make(u32 count) {
  const u32 blocks = (count + CallBlock::kCalls - 1) / CallBlock::kCalls;
  CallSet* set = static_cast<CallSet*>(allocate_pool(sizeof(CallSet) + blocks * sizeof(CallBlock*)));
  for (u32 i = 0; set != nullptr && i < blocks; ++i) {
    set->blocks[i] = static_cast<CallBlock*>(allocate_pool(sizeof(CallBlock)));
    if (set->blocks[i] == nullptr) {
      free_set(set);
      return nullptr;
    }
    set->count = i + 1;
  }
  return set;
}

void ThreadCalls::place(CallSet* set) {
  CallSet* before = set_;
  set_ = set;
  for (u32 i = 0; set != nullptr && i < set->count * CallBlock::kCalls; ++i) {
    CallBlock& block = *set->blocks[i / CallBlock::kCalls];
    ThreadCall& call = block.calls[i % CallBlock::kCalls];
    call.owner = this;
    call.block = &block;
    call.ticket = i;
    KeInitializeDpc(&call.dpc, on_dpc, &call);
  }
  if (before != nullptr) {
    free_set(before);
  }
}

// The deferred call runs on this core after the interrupt has ended, so the count may be raised after queueing.
bool ThreadCalls::ask(u32 ticket, const UserWalkStart& start) {
  ThreadCall& call = set_->blocks[ticket / CallBlock::kCalls]->calls[ticket % CallBlock::kCalls];
  if (!possible_ || __atomic_load_n(&call.state, __ATOMIC_ACQUIRE) != kFree) {
    return false;
  }
  call.start = start;
  set_state(call, kOut);
  if (!KeInsertQueueDpc(&call.dpc, stack_routines().current_thread(), nullptr)) {
    set_state(call, kFree);
    return false;
  }
  __atomic_fetch_add(&under_way_, 1, __ATOMIC_RELEASE);
  return true;
}

void ThreadCalls::end() {
  __atomic_store_n(&ending_, true, __ATOMIC_RELEASE);
  KeFlushQueuedDpcs();  // afterwards only APCs remain
  KIRQL level = KeAcquireSpinLockRaiseToDpc(&all_calls.lock);
  const bool some = under_way_ != 0;
  KeClearEvent(&none_left_);
  KeReleaseSpinLock(&all_calls.lock, level);
  if (some) {
    LARGE_INTEGER patience;
    patience.QuadPart = kPatience;
    static_cast<void>(KeWaitForSingleObject(&none_left_, Executive, KernelMode, FALSE, &patience));
  }
  level = KeAcquireSpinLockRaiseToDpc(&all_calls.lock);
  abandon_rest();
  __atomic_store_n(&ending_, false, __ATOMIC_RELEASE);
  KeReleaseSpinLock(&all_calls.lock, level);
}

// Called under the lock. From here on the abandoned calls do not touch *this.
void ThreadCalls::abandon_rest() {
  for (u32 i = 0; under_way_ != 0 && i < set_->count * CallBlock::kCalls; ++i) {
    CallBlock& block = *set_->blocks[i / CallBlock::kCalls];
    ThreadCall& call = block.calls[i % CallBlock::kCalls];
    if (__atomic_load_n(&call.state, __ATOMIC_RELAXED) == kOut) {
      set_state(call, kAbandoned);
      ++block.abandoned;
      ++all_calls.abandoned;
      --under_way_;
    }
  }
}

// DISPATCH_LEVEL. The interrupted thread still runs on this core: threads are switched at this level, but after the
// deferred calls. While it runs it cannot be freed, so no reference is needed. No call is abandoned yet.
void ThreadCalls::on_dpc(KDPC*, PVOID context, PVOID thread, PVOID) {
  ThreadCall& call = *static_cast<ThreadCall*>(context);
  if (!queue_apc(call, static_cast<KTHREAD*>(thread))) {
    KeReleaseSpinLock(&all_calls.lock, answer(call, false).level);
  }
}

bool ThreadCalls::queue_apc(ThreadCall& call, KTHREAD* thread) {
  const StackRoutines& kernel = stack_routines();
  if (call.owner->ending() || kernel.current_thread() != thread) {
    return false;
  }
  kernel.initialize_apc(&call.apc, thread, ApcEnvironment::original, on_apc, on_rundown, nullptr, KernelMode, nullptr);
  return kernel.insert_queue_apc(&call.apc, nullptr, nullptr, 0) != FALSE;
}

// A thread that waits in end() continues when it gets the lock. Then the driver may be unloaded, or the reference that
// keeps its code may be released. So both routines end with a jump into a function of the kernel, after which no
// instruction of the driver is executed. The compiler turns a call at the end into a jump, and the NT host checks that
// in the image (call_that_returns_late, code_goes_with_the_last_abandoned_call).
void ThreadCalls::on_apc(KAPC* apc, ApcNormalRoutine**, PVOID*, PVOID*, PVOID*) {
  ThreadCall& call = call_of(apc);
  walk(call);
  const LastPart last = answer(call, true);
  if (last.driver == nullptr) {
    return KeReleaseSpinLock(&all_calls.lock, last.level);
  }
  KeReleaseSpinLock(&all_calls.lock, last.level);
  return ObDereferenceObjectDeferDelete(last.driver);
}

void ThreadCalls::on_rundown(KAPC* apc) {
  const LastPart last = answer(call_of(apc), false);
  if (last.driver == nullptr) {
    return KeReleaseSpinLock(&all_calls.lock, last.level);
  }
  KeReleaseSpinLock(&all_calls.lock, last.level);
  return ObDereferenceObjectDeferDelete(last.driver);
}

// Returns with the lock held. By then the call may belong to another walk, or may have been freed.
ThreadCalls::LastPart ThreadCalls::answer(ThreadCall& call, bool walked) {
  LastPart last = {KeAcquireSpinLockRaiseToDpc(&all_calls.lock), nullptr};
  if (is_abandoned(call)) {
    end_abandoned(call);
    if (--all_calls.abandoned == 0) {
      last.driver = all_calls.driver;
      all_calls.driver = nullptr;
    }
    return last;
  }
  ThreadCalls& self = *call.owner;
  if (walked) {
    self.answers_.take(self.context_, call.ticket, call.stack);
  } else {
    self.answers_.lose(self.context_, call.ticket);
  }
  set_state(call, kFree);
  if (__atomic_sub_fetch(&self.under_way_, 1, __ATOMIC_ACQ_REL) == 0 && self.ending()) {
    static_cast<void>(KeSetEvent(&self.none_left_, 0, FALSE));
  }
  return last;
}

void keep_code_for_thread_calls(DRIVER_OBJECT* driver) {
  const KIRQL level = KeAcquireSpinLockRaiseToDpc(&all_calls.lock);
  if (all_calls.abandoned != 0) {
    static_cast<void>(ObReferenceObject(driver));
    all_calls.driver = driver;
  }
  KeReleaseSpinLock(&all_calls.lock, level);
}

}  // namespace wperf::driver
