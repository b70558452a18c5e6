// SPDX-License-Identifier: BSD-3-Clause
// Decides which threads run and which wait. A thread stays on its core.
#pragma once
#include "tests/nthost/kernel/cpu.h"

namespace wperf::nthost {

// Guards every dispatcher header, wait block, queue of threads, DPC queue and timer list.
extern SpinLock dispatcher_lock;

void begin_idle_thread();  // each core: the running code becomes its idle thread
[[noreturn]] void be_idle();

struct NewThread {
  u32 cpu;
  u32 priority;
  Process* process;
  KSTART_ROUTINE* start;
  PVOID context;
  bool is_drivers;
};
Thread* make_thread(const NewThread& new_thread);  // with one reference, the creator's; null when all slots are taken
[[noreturn]] void end_current_thread();
void reference_thread(Thread& thread);
void release_thread(Thread& thread);
void set_priority(Thread& thread, u32 priority);
Thread* thread_at(u32 slot);  // null when unused
constexpr u32 kMostThreads = 96;
constexpr u64 kStackSize = 32 * 1024;  // the kernel stack of each thread; vectors.S depends on it

// Under dispatcher_lock. The thread was waiting; it becomes ready with this status, and its core is notified.
void wake(Thread& thread, NTSTATUS status);
// Under dispatcher_lock: returns true if the object satisfies a wait, and then changes its state as its type requires.
bool try_consume(DISPATCHER_HEADER& object);
// Under dispatcher_lock: wakes the threads that wait for a newly signaled object.
void wake_waiters(DISPATCHER_HEADER& object);

// At DISPATCH_LEVEL, without locks: switches to another thread; returns when the calling thread runs again.
void switch_away();
// The interrupt at DISPATCH_LEVEL calls this before it returns to a lower level.
bool wants_another_thread(const Cpu& cpu);

// Under dispatcher_lock: finds the next time when something on this core is due, and sets the clock interrupt to it.
void arm_clock(Cpu& cpu);
void wake_expired_sleepers(Cpu& cpu, u64 now);

void print_threads();  // prints the state of each thread, for a run that makes no progress
// Makes the current thread a member of the process: EL0 uses its address space, and PsGetCurrentProcessId returns its
// id.
void become_member_of(Process* process);

}  // namespace wperf::nthost
