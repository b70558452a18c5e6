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

StackRange part_above(u64 stack_pointer, u64 low, u64 high) {
  return stack_pointer >= low && stack_pointer < high ? StackRange{stack_pointer, high} : StackRange{0, 0};
}

}  // namespace

bool find_stack_routines() {
  find(L"KeInitializeApc", routines.initialize_apc);
  find(L"KeInsertQueueApc", routines.insert_queue_apc);
  find(L"PsGetCurrentThread", routines.current_thread);
  if (routines.current_thread == nullptr) {
    find(L"KeGetCurrentThread", routines.current_thread);  // the same function under its other name
  }
  find(L"PsGetCurrentThreadStackBase", routines.thread_stack_base);
  find(L"PsGetCurrentThreadStackLimit", routines.thread_stack_limit);
  find(L"PsGetCurrentThreadTeb", routines.thread_teb);
  return routines.initialize_apc != nullptr && routines.insert_queue_apc != nullptr &&
         routines.current_thread != nullptr;
}

const StackRoutines& stack_routines() {
  return routines;
}

// MmCopyMemory reads the kernel's memory as well, so the address is checked here too, in addition to the caller's
// checks.
bool read_user_memory(u64 address, void* to, usize size) {
  if (size > kUserEnd || address > kUserEnd - size) {
    return false;
  }
  MM_COPY_ADDRESS from = {};
  from.VirtualAddress = reinterpret_cast<PVOID>(address);
  SIZE_T copied = 0;
  return NT_SUCCESS(MmCopyMemory(to, from, size, MM_COPY_MEMORY_VIRTUAL, &copied)) && copied == size;
}

StackRange user_stack_limits() {
  constexpr u64 kStackBase = 8;  // in a thread's block (NT_TIB); the limit follows it
  const u64 block = routines.thread_teb != nullptr ? reinterpret_cast<u64>(routines.thread_teb()) : 0;
  u64 stack[2] = {};
  if (block == 0 || !read_user_memory(block + kStackBase, stack, sizeof stack)) {
    return {0, 0};
  }
  return {stack[1], stack[0]};
}

// An interrupt may have a separate stack. IoGetStackLimits then reports the interrupt's stack, and the interrupted code
// has the thread's stack, or another one without known limits.
StackRange kernel_stack_above(u64 stack_pointer) {
  ULONG_PTR low = 0, high = 0;
  IoGetStackLimits(&low, &high);
  const StackRange running = part_above(stack_pointer, low, high);
  if (running.high != 0 || routines.thread_stack_base == nullptr || routines.thread_stack_limit == nullptr) {
    return running;
  }
  return part_above(stack_pointer, reinterpret_cast<u64>(routines.thread_stack_limit()),
                    reinterpret_cast<u64>(routines.thread_stack_base()));
}

}  // namespace wperf::driver
