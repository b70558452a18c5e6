// SPDX-License-Identifier: BSD-3-Clause
#include "driver/nt/stack_routines.h"

namespace wperf::driver {
namespace {

StackRoutines routines;

template <typename Function>
void find(const WCHAR* name, Function*& function) {
  UNICODE_STRING text;
  RtlInitUnicodeString(&text, name);
  function = reinterpret_cast<Function*>(MmGetSystemRoutineAddress(&text));
}

KernelStack part_above(u64 stack_pointer, u64 low, u64 high) {
  return stack_pointer >= low && stack_pointer < high ? KernelStack{stack_pointer, high} : KernelStack{0, 0};
}

}  // namespace

bool find_stack_routines() {
  find(L"KeInitializeApc", routines.initialize_apc);
  find(L"KeInsertQueueApc", routines.insert_queue_apc);
  find(L"PsGetCurrentThread", routines.current_thread);
  if (routines.current_thread == nullptr) {
    find(L"KeGetCurrentThread", routines.current_thread);  // the same function by its other name
  }
  find(L"PsGetCurrentThreadStackBase", routines.thread_stack_base);
  find(L"PsGetCurrentThreadStackLimit", routines.thread_stack_limit);
  return routines.initialize_apc != nullptr && routines.insert_queue_apc != nullptr &&
         routines.current_thread != nullptr;
}

const StackRoutines& stack_routines() {
  return routines;
}

// An interrupt may have a stack of its own: IoGetStackLimits tells of that one then, and the interrupted code has the
// thread's, or another one that nobody tells of.
KernelStack kernel_stack_above(u64 stack_pointer) {
  ULONG_PTR low = 0, high = 0;
  IoGetStackLimits(&low, &high);
  const KernelStack running = part_above(stack_pointer, low, high);
  if (running.high != 0 || routines.thread_stack_base == nullptr || routines.thread_stack_limit == nullptr) {
    return running;
  }
  return part_above(stack_pointer, reinterpret_cast<u64>(routines.thread_stack_limit()),
                    reinterpret_cast<u64>(routines.thread_stack_base()));
}

}  // namespace wperf::driver
