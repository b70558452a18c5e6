// SPDX-License-Identifier: BSD-3-Clause
// The kernel's data for each core and each thread. Only files in kernel/ and machine/ use it.
#pragma once
#include "driver/nt/nt.h"
#include "tests/nthost/machine/bare_machine.h"
#include "tests/nthost/machine/frame.h"
#include "tests/nthost/machine/register_access.h"

namespace wperf::nthost {
struct Thread;
}

struct KWAIT_BLOCK {  // 0x30 bytes in the kit; callers of KeWaitForMultipleObjects pass arrays of it
  LIST_ENTRY entry;
  wperf::nthost::Thread* thread;
  DISPATCHER_HEADER* object;
  wperf::u32 index;
  wperf::u32 queued;
};
static_assert(sizeof(KWAIT_BLOCK) <= 0x30);

namespace wperf::nthost {

struct Process;

enum class ThreadState : u32 { unused, ready, running, waiting, ended };

constexpr u32 kIdlePriority = 0, kWorkloadPriority = 1, kSystemPriority = 2, kPriorities = 3;

// The dispatcher header comes first: a thread is an object that can be waited for.
struct Thread {
  DISPATCHER_HEADER header;
  u64 saved_stack;  // while not running
  u64 stack_top;
  ThreadState state;
  u32 slot;
  u32 id;
  u32 cpu;
  u32 priority;
  LONG nt_priority;     // as for KeSetPriorityThread; 8 = an ordinary thread
  u32 references;       // by handles, and by pointers of the driver or the host
  u32 driver_handles;   // the references that the driver got by ObReferenceObjectByHandle
  bool is_drivers;      // PsCreateSystemThread made it
  bool stop_requested;  // leave EL0 at the next exception
  bool off_its_stack;   // ended, and its core runs a different thread
  Process* process;
  KSTART_ROUTINE* start;
  PVOID context;
  Thread* next_ready;
  NTSTATUS wait_status;
  bool has_deadline;
  u64 deadline;  // ticks
  Thread* next_sleeper;
  u32 wait_count;
  KWAIT_BLOCK* wait_blocks;
  KWAIT_BLOCK own_blocks[4];
  u32 critical_regions;  // KeEnterCriticalRegion
  KAPC* apc_first;       // linked through ApcListEntry.Flink
  KAPC* apc_last;
  bool takes_no_apcs;  // because it ends
  bool in_apc;
  u64 user_stack_pointer;
  alignas(16) u8 vectors[528];  // q0..q31, fpcr, fpsr of EL0 programs
  u64 user_block;               // the TEB, at EL0; 0: not a program's thread
};

struct Cpu {
  void* emergency_stack;  // first: vectors.S loads it
  u32 index;
  u32 irql;
  u32 online;
  bool reschedule;
  bool in_dpc;
  Thread* current;
  Thread* previous;  // the thread that ran before the latest switch
  Thread* idle;
  Thread* ready_first[kPriorities];
  Thread* ready_last[kPriorities];
  Thread* sleepers;
  LIST_ENTRY timers;  // KTIMER::TimerListEntry
  KDPC* dpc_first;    // linked through DpcListEntry
  KDPC* dpc_last;
  Process* address_space_of;
  u64 slice_ends;
  u64 profile_interrupts;
};

inline Cpu& this_cpu() {
  return *reinterpret_cast<Cpu*>(WPERF_READ_SYSREG("tpidr_el1"));
}
inline Thread* current_thread() {
  return this_cpu().current;
}
Cpu& cpu_at(u32 index);

}  // namespace wperf::nthost
