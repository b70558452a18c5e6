// SPDX-License-Identifier: BSD-3-Clause
// Functions that call stacks need and a driver cannot just import: ntoskrnl.exe exports them, but no header of the kit
// declares them. They are looked up by name when the driver starts; if one is missing, the driver works as usual and
// reports that it takes no stacks. Their signatures have not changed since the kernel's first version.
#pragma once
#include "base/ints.h"
#include "driver/core/stack_walker.h"
#include "driver/nt/nt.h"

namespace wperf::driver {

using ApcNormalRoutine = void(PVOID context, PVOID argument1, PVOID argument2);
// Runs at APC_LEVEL in the thread. An APC without a normal routine is a special APC: it needs no alertable wait, and
// runs before the thread continues at PASSIVE_LEVEL or in its program. When it is called, the KAPC belongs to the
// driver again.
using ApcKernelRoutine = void(KAPC* apc, ApcNormalRoutine** normal_routine, PVOID* context, PVOID* argument1,
                              PVOID* argument2);
// Called instead of the kernel routine in a thread that ends.
using ApcRundownRoutine = void(KAPC* apc);

enum class ApcEnvironment : int { original };  // the thread's own process, whichever it is attached to

struct StackRoutines {
  void (*initialize_apc)(KAPC* apc, KTHREAD* thread, ApcEnvironment environment, ApcKernelRoutine* kernel_routine,
                         ApcRundownRoutine* rundown_routine, ApcNormalRoutine* normal_routine, KPROCESSOR_MODE mode,
                         PVOID context);                                                          // any IRQL
  BOOLEAN (*insert_queue_apc)(KAPC* apc, PVOID argument1, PVOID argument2, KPRIORITY increment);  // <= DISPATCH_LEVEL
  KTHREAD* (*current_thread)();                                                                   // any
  // The range of the running thread's kernel stack. May be missing; in that case only IoGetStackLimits knows the range.
  PVOID (*thread_stack_base)();
  PVOID (*thread_stack_limit)();
  PVOID (*thread_teb)();  // the TEB of the running thread, in its program's memory. May be missing
};

// Finds the functions. IRQL PASSIVE_LEVEL, before any interrupt needs them. Returns false if stacks of programs are
// impossible.
bool find_stack_routines();
const StackRoutines& stack_routines();

// Copies memory of the running thread's program; waits until it is available. IRQL <= APC_LEVEL; `to` is never paged.
// Returns false if some of it cannot be read.
bool read_user_memory(u64 address, void* to, usize size);
// The stack limits in the running thread's program, which may be any values. Empty if unknown. IRQL <= APC_LEVEL.
StackRange user_stack_limits();

// The part above `stack_pointer` of the kernel stack that contains it: this thread's stack, or the stack that this code
// runs on. All of it can be read. Empty if neither stack contains it. Any IRQL.
StackRange kernel_stack_above(u64 stack_pointer);

}  // namespace wperf::driver
