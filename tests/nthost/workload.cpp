// SPDX-License-Identifier: BSD-3-Clause
#include "tests/nthost/workload.h"

#include "tests/nthost/check.h"
#include "tests/nthost/kernel/process_object.h"
#include "tests/nthost/kernel/scheduler.h"
#include "tests/nthost/machine/gic.h"
#include "tests/nthost/machine/memory.h"

extern "C" wperf::u64 enter_el0(wperf::u64 entry, wperf::u64 argument, wperf::u64 stack, wperf::u64 return_to);

namespace wperf::nthost {

struct Workload {
  Thread* thread;
  bool in_use;
  Process* process;  // null = at EL1
  u64 (*function)(u64 argument);
  u64 entry, argument, stack, block, return_to;
  u64 result;
  u32 ended, chosen_id;
};

namespace {

constexpr u32 kMostWorkloads = 16;
constexpr u64 kStacksBegin = kFirstStack - kUserStack;
// One per workload: the stack and, in its last pages, the thread's block and the code to which the program returns.
constexpr u64 kSlot = 1 << 20;
constexpr u32 kSvc = 0xd400'0001;

SpinLock lock;
Workload workloads[kMostWorkloads];

Workload& take() {
  const Guard guard(lock);
  for (Workload& it : workloads) {
    if (it.in_use) continue;
    it = {};
    it.in_use = true;
    return it;
  }
  give_up("more than {} workloads", kMostWorkloads);
}

void work(void* context) {
  Workload& it = *static_cast<Workload*>(context);
  if (it.process == nullptr) {
    it.result = it.function(it.argument);
  } else {
    if (it.chosen_id != 0) current_thread()->id = it.chosen_id;
    current_thread()->user_block = it.block;
    mask_interrupts();  // from here on stop()'s interrupt comes at EL0
    if (!__atomic_load_n(&current_thread()->stop_requested, __ATOMIC_ACQUIRE)) {
      it.result = enter_el0(it.entry, it.argument, it.stack, it.return_to);
    }
    asm volatile("msr daifclr, #2" : : : "memory");
  }
  __atomic_store_n(&it.ended, 1u, __ATOMIC_RELEASE);
}

void start(Workload& it, u32 cpu) {
  if (cpu >= cpu_count()) give_up("there is no core {}", cpu);
  Process* process = it.process == nullptr ? system_process() : it.process;
  __atomic_fetch_add(&process->threads, 1, __ATOMIC_ACQ_REL);
  // Set before the thread can run, so that thread_id() of a workload is known from the start.
  const Guard guard(lock);
  it.thread = make_thread({cpu, kWorkloadPriority, process, work, &it, false});
  if (it.thread == nullptr) give_up("more than {} threads", kMostThreads);
}

}  // namespace

Workload* start_kernel_work(u32 cpu, u64 (*function)(u64 argument), u64 argument) {
  Workload& it = take();
  it.function = function;
  it.argument = argument;
  start(it, cpu);
  return &it;
}

Workload* start_user_work(u32 cpu, Process& process, u64 entry, u64 argument, u32 thread) {
  Workload& it = take();
  it.chosen_id = thread;
  const u64 slot = kStacksBegin + static_cast<u64>(&it - workloads) * kSlot;
  it.process = &process;
  it.entry = entry;
  it.argument = argument;
  it.stack = slot + kUserStack;
  it.block = slot + kSlot - 2 * kPageSize;
  it.return_to = slot + kSlot - kPageSize;
  const u64 stack[] = {it.stack + kUserStack, slot};  // NT_TIB: after a pointer come StackBase and StackLimit
  if (!map_user_data(process, slot, 2 * kUserStack) || !map_user_data(process, it.block, kPageSize) ||
      !write_user(process, it.block + 8, stack, sizeof stack) ||
      !map_user_code(process, it.return_to, &kSvc, sizeof kSvc)) {
    give_up("process {} has something at {x} already", process.id, slot);
  }
  start(it, cpu);
  return &it;
}

bool has_ended(const Workload& work) {
  return __atomic_load_n(&work.ended, __ATOMIC_ACQUIRE) != 0;
}
u64 way_back(const Workload& work) {
  return work.return_to;
}
u32 thread_id(const Workload& work) {
  return work.thread->id;
}

u64 finish(Workload* work) {
  KeWaitForSingleObject(work->thread, Executive, KernelMode, FALSE, nullptr);
  release_thread(*work->thread);
  Process* process = work->process == nullptr ? system_process() : work->process;
  __atomic_fetch_sub(&process->threads, 1, __ATOMIC_ACQ_REL);
  if (work->process != nullptr) {
    unmap_user(*work->process, work->stack - kUserStack, 2 * kUserStack);
    unmap_user(*work->process, work->block, kPageSize);
    unmap_user(*work->process, work->return_to, kPageSize);
  }
  const u64 result = work->result;
  const Guard guard(lock);
  work->in_use = false;
  return result;
}

void stop(Workload* work) {
  if (work->process != nullptr) {
    __atomic_store_n(&work->thread->stop_requested, true, __ATOMIC_RELEASE);
    send_dispatch_interrupt(work->thread->cpu);
  }
  finish(work);
}

}  // namespace wperf::nthost
