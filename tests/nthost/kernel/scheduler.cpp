// SPDX-License-Identifier: BSD-3-Clause
#include "tests/nthost/kernel/scheduler.h"

#include "tests/nthost/check.h"
#include "tests/nthost/kernel/irql.h"
#include "tests/nthost/kernel/ke_apc.h"
#include "tests/nthost/kernel/ke_timer.h"
#include "tests/nthost/kernel/process_object.h"
#include "tests/nthost/machine/gic.h"
#include "tests/nthost/machine/memory.h"
#include "tests/nthost/machine/pages.h"

extern "C" {
void switch_stacks(wperf::u64* save_here, wperf::u64 from_here);
void thread_begins();
void save_vectors(void* to);
void load_vectors(const void* from);
void thread_started();
}

namespace wperf::nthost {

SpinLock dispatcher_lock;

namespace {

constexpr u64 kSliceNs = 4'000'000;  // threads of one priority take turns
constexpr u32 kFirstThreadId = 0x1000;

Thread threads[kMostThreads];
u32 next_id = kFirstThreadId;

void append_ready(Cpu& cpu, Thread& thread) {
  thread.state = ThreadState::ready;
  thread.next_ready = nullptr;
  Thread*& last = cpu.ready_last[thread.priority];
  (last == nullptr ? cpu.ready_first[thread.priority] : last->next_ready) = &thread;
  last = &thread;
}

void remove_ready(Cpu& cpu, Thread& thread) {
  Thread* before = nullptr;
  for (Thread* it = cpu.ready_first[thread.priority]; it != &thread; it = it->next_ready) before = it;
  (before == nullptr ? cpu.ready_first[thread.priority] : before->next_ready) = thread.next_ready;
  if (cpu.ready_last[thread.priority] == &thread) cpu.ready_last[thread.priority] = before;
}

Thread* take_ready(Cpu& cpu) {
  for (u32 priority = kPriorities; priority-- > 0;) {
    Thread* thread = cpu.ready_first[priority];
    if (thread == nullptr) continue;
    cpu.ready_first[priority] = thread->next_ready;
    if (thread->next_ready == nullptr) cpu.ready_last[priority] = nullptr;
    return thread;
  }
  return cpu.idle;
}

void make_stack(Thread& thread) {
  if (thread.stack_top != 0) return;
  const u64 bottom = kStackBase + thread.slot * 2 * kStackSize;
  for (u64 page = bottom; page < bottom + kStackSize; page += kPageSize)
    map_kernel(page, take_page(), Access::read_write);
  thread.stack_top = bottom + kStackSize;
}

// Fills in the registers that switch_stacks loads from a stack; x30, the return address, is among them.
void prepare_first_switch(Thread& thread) {
  u64* saved = reinterpret_cast<u64*>(thread.stack_top - 96);
  memset(saved, 0, 96);
  saved[1] = reinterpret_cast<u64>(&thread_begins);
  thread.saved_stack = reinterpret_cast<u64>(saved);
}

void notify_cpu(u32 index) {
  cpu_at(index).reschedule = true;
  send_dispatch_interrupt(index);
}

// The first call of a thread after a context switch: the previous thread has left its stack.
void after_switch() {
  Cpu& cpu = this_cpu();
  Thread* previous = cpu.previous;
  cpu.previous = nullptr;
  if (previous != nullptr && previous->state == ThreadState::ended) {
    __atomic_store_n(&previous->off_its_stack, true, __ATOMIC_RELEASE);
    release_thread(*previous);  // its own reference
  }
}

void use_addresses_of(Cpu& cpu, Thread& thread) {
  if (cpu.address_space_of == thread.process || thread.process == nullptr) return;
  cpu.address_space_of = thread.process;
  use_address_space(thread.process->addresses);
}

}  // namespace

void begin_idle_thread() {
  Cpu& cpu = this_cpu();
  Thread* thread = nullptr;
  {
    const Guard guard(dispatcher_lock);
    thread = &threads[cpu.index];
    thread->slot = cpu.index;
    thread->id = next_id;
    next_id += 4;
    thread->state = ThreadState::running;
    thread->cpu = cpu.index;
    thread->priority = kIdlePriority;
    thread->references = 1;
    thread->process = system_process();
    cpu.timers = {&cpu.timers, &cpu.timers};
    cpu.current = cpu.idle = thread;
  }
  make_stack(*thread);
}

void be_idle() {
  set_irql(kPassive);
  Cpu& cpu = this_cpu();
  asm volatile("msr daifclr, #2" : : : "memory");
  for (;;) {
    mask_interrupts();
    if (cpu.ready_first[kSystemPriority] != nullptr || cpu.ready_first[kWorkloadPriority] != nullptr) {
      notify_cpu(cpu.index);
    } else {
      asm volatile("dsb sy\n wfi" : : : "memory");
    }
    asm volatile("msr daifclr, #2\n isb" : : : "memory");
  }
}

Thread* make_thread(const NewThread& new_thread) {
  Thread* thread = nullptr;
  {
    const Guard guard(dispatcher_lock);
    for (u32 i = kMostCpus; i < kMostThreads && thread == nullptr; ++i) {
      if (threads[i].state == ThreadState::unused) thread = &threads[i];
    }
    if (thread == nullptr) return nullptr;
    const u64 stack_top = thread->stack_top;
    const u32 slot = static_cast<u32>(thread - threads);
    memset(static_cast<void*>(thread), 0, sizeof *thread);
    thread->stack_top = stack_top;
    thread->slot = slot;
    thread->state = ThreadState::waiting;  // the slot is taken
    thread->id = next_id;
    next_id += 4;
  }
  make_stack(*thread);
  prepare_first_switch(*thread);
  thread->header.Type = kThreadObject;
  thread->header.WaitListHead = {&thread->header.WaitListHead, &thread->header.WaitListHead};
  thread->cpu = new_thread.cpu;
  thread->priority = new_thread.priority;
  thread->references = 2;  // its own and the creator's
  thread->is_drivers = new_thread.is_drivers;
  thread->nt_priority = 8;
  thread->process = new_thread.process;
  thread->start = new_thread.start;
  thread->context = new_thread.context;
  const Guard guard(dispatcher_lock);
  wake(*thread, STATUS_SUCCESS);
  return thread;
}

namespace {

// Under dispatcher_lock. Depending on its priority, the thread runs now or when its turn comes.
void make_ready(Cpu& cpu, Thread& thread) {
  append_ready(cpu, thread);
  const Thread* current = cpu.current;
  if (current == nullptr || thread.priority > current->priority) {
    notify_cpu(cpu.index);
  } else if (thread.priority == current->priority && cpu.slice_ends == 0) {
    cpu.slice_ends = time_ticks() + kSliceNs * ticks_per_second() / 1'000'000'000;
    if (cpu.index == this_cpu().index) {
      arm_clock(cpu);
    } else {
      send_dispatch_interrupt(cpu.index);  // the interrupted core then sets its clock
    }
  }
}

}  // namespace

void wake(Thread& thread, NTSTATUS status) {
  thread.wait_status = status;
  Cpu& cpu = cpu_at(thread.cpu);
  if (thread.has_deadline) {
    for (Thread** link = &cpu.sleepers; *link != nullptr; link = &(*link)->next_sleeper) {
      if (*link != &thread) continue;
      *link = thread.next_sleeper;
      break;
    }
    thread.has_deadline = false;
  }
  for (u32 i = 0; i < thread.wait_count; ++i) {
    KWAIT_BLOCK& block = thread.wait_blocks[i];
    if (block.queued == 0) continue;
    block.entry.Blink->Flink = block.entry.Flink;
    block.entry.Flink->Blink = block.entry.Blink;
    block.queued = 0;
  }
  thread.wait_count = 0;
  make_ready(cpu, thread);
}

void end_current_thread() {
  Thread& thread = *current_thread();
  if (thread.critical_regions != 0) fail("thread {} ends inside a critical region", thread.id);
  run_down_apcs();
  raise_irql(kDispatch);
  {
    const Guard guard(dispatcher_lock);
    thread.state = ThreadState::ended;
    thread.header.SignalState = 1;
    wake_waiters(thread.header);
  }
  switch_away();
  give_up("a thread that has ended runs");
}

void reference_thread(Thread& thread) {
  const Guard guard(dispatcher_lock);
  ++thread.references;
}

void release_thread(Thread& thread) {
  const Guard guard(dispatcher_lock);
  if (thread.references == 0) give_up("thread {} is dereferenced once too often", thread.id);
  if (--thread.references == 0) thread.state = ThreadState::unused;
}

void set_priority(Thread& thread, u32 priority) {
  const Guard guard(dispatcher_lock);
  const bool queued = thread.state == ThreadState::ready;
  Cpu& cpu = cpu_at(thread.cpu);
  if (queued) remove_ready(cpu, thread);
  thread.priority = priority;
  if (queued) make_ready(cpu, thread);
}

Thread* thread_at(u32 slot) {
  return slot >= kMostCpus && threads[slot].state != ThreadState::unused ? &threads[slot] : nullptr;
}

void switch_away() {
  Cpu& cpu = this_cpu();
  const u64 interrupts = mask_interrupts();
  Thread* from = cpu.current;
  Thread* to = nullptr;
  {
    const Guard guard(dispatcher_lock);
    cpu.reschedule = false;
    if (from->state == ThreadState::running && from != cpu.idle) append_ready(cpu, *from);
    to = take_ready(cpu);
    to->state = ThreadState::running;
    cpu.current = to;
    const bool has_rival = to != cpu.idle && cpu.ready_first[to->priority] != nullptr;
    cpu.slice_ends = has_rival ? time_ticks() + kSliceNs * ticks_per_second() / 1'000'000'000 : 0;
    arm_clock(cpu);
  }
  if (to != from) {
    from->user_stack_pointer = WPERF_READ_SYSREG("sp_el0");
    save_vectors(from->vectors);
    use_addresses_of(cpu, *to);
    WPERF_WRITE_SYSREG("sp_el0", to->user_stack_pointer);
    load_vectors(to->vectors);
    cpu.previous = from;
    switch_stacks(&from->saved_stack, to->saved_stack);
    after_switch();
  }
  restore_interrupts(interrupts);
}

bool wants_another_thread(const Cpu& cpu) {
  if (cpu.reschedule) return true;
  return cpu.slice_ends != 0 && time_ticks() >= cpu.slice_ends;
}

void print_threads() {
  static const char* const states[] = {"unused", "ready", "running", "waiting", "ended"};
  for (const Thread& it : threads) {
    if (it.state == ThreadState::unused) continue;
    print("  thread {} on core {}: {}, process {}, waits for {} objects", it.id, it.cpu,
          states[static_cast<u32>(it.state)], it.process->id, it.wait_count);
    if (it.has_deadline) print("    until tick {}, now {}", it.deadline, time_ticks());
  }
  for (u32 i = 0; i < cpu_count(); ++i) {
    const Cpu& cpu = cpu_at(i);
    print("  core {}: {}, thread {}, next timer at tick {}", i, name_of_level(cpu.irql), cpu.current->id,
          first_due_timer(cpu));
  }
}

void become_member_of(Process* process) {
  const u64 interrupts = mask_interrupts();
  current_thread()->process = process;
  use_addresses_of(this_cpu(), *current_thread());
  restore_interrupts(interrupts);
}

void arm_clock(Cpu& cpu) {
  u64 next = first_due_timer(cpu);
  for (const Thread* thread = cpu.sleepers; thread != nullptr; thread = thread->next_sleeper) {
    if (thread->deadline < next) next = thread->deadline;
  }
  if (cpu.slice_ends != 0 && cpu.slice_ends < next) next = cpu.slice_ends;
  if (next == ~0ull) {
    WPERF_WRITE_SYSREG("cntv_ctl_el0", 0);
  } else {
    WPERF_WRITE_SYSREG("cntv_cval_el0", next);
    WPERF_WRITE_SYSREG("cntv_ctl_el0", 1);
  }
  instruction_barrier();
}

void wake_expired_sleepers(Cpu& cpu, u64 now) {
  for (Thread* thread = cpu.sleepers; thread != nullptr;) {
    Thread* next = thread->next_sleeper;
    if (thread->deadline <= now) wake(*thread, STATUS_TIMEOUT);
    thread = next;
  }
}

}  // namespace wperf::nthost

extern "C" void thread_started() {
  using namespace wperf::nthost;
  after_switch();
  set_irql(kPassive);
  asm volatile("msr daifclr, #2" : : : "memory");
  Thread& thread = *current_thread();
  thread.start(thread.context);
  // A driver's routine may just return; Windows then ends the thread in the same way.
  if (thread.is_drivers) PsTerminateSystemThread(STATUS_SUCCESS);
  end_current_thread();
}
