// SPDX-License-Identifier: BSD-3-Clause
// Records which thread ran on which core, as in traces of Windows' scheduler, for clients that watch the schedule.
#include <algorithm>

#include "sim/machine/machine_state.h"
#include "sim/nt/unwind_tables.h"

namespace wperf::sim {
namespace {

constexpr u32 kReady = 1, kTerminated = 4, kWaiting = 5, kDeferredReady = 7;  // KTHREAD_STATE
// KWAIT_REASON
constexpr u32 kExecutive = 0, kDelayExecution = 4, kSuspended = 5, kUserRequest = 6, kQuantumEnd = 30, kPreempted = 32,
              kAlertByThreadId = 37;

u32 reason_of(WaitsFor what) {
  switch (what) {
    case WaitsFor::threads:
      return kUserRequest;
    case WaitsFor::lock:
      return kAlertByThreadId;
    case WaitsFor::resumption:
      return kSuspended;
    case WaitsFor::host:
      return kExecutive;
    default:
      return kDelayExecution;
  }
}

// Appends the callers, by the chain of frame records.
void append_chain(AddressSpace& space, u64 frame, WperfSimScheduleEvent& event) {
  constexpr u64 kAlignment = 16;
  while (event.frame_count < WPERF_SIM_MOST_FRAMES) {
    u64 record[2] = {};
    if (frame == 0 || frame % kAlignment != 0 || !space.read(frame, record, sizeof record) || record[1] == 0) return;
    event.frames[event.frame_count++] = record[1];
    if (record[0] <= frame) return;
    frame = record[0];
  }
}

// Appends the callers of a function that has made a call. Uses the unwind tables of the images, because DLLs may use
// x29 for other values. From the first function without a table on, it follows the chain of frame records. Changes the
// registers.
void append_callers(Program& program, ThreadState& registers, WperfSimScheduleEvent& event) {
  const GuestMemory memory(program.space());
  while (event.frame_count < WPERF_SIM_MOST_FRAMES) {
    const u64 frame = registers.x[29], sp = registers.sp, pc = registers.pc;
    if (!unwind_frame(memory, program.modules(), registers) || registers.sp < sp)
      return append_chain(program.space(), frame, event);
    if (registers.pc == 0 || (registers.sp == sp && registers.pc == pc)) return;
    event.frames[event.frame_count++] = registers.pc;
  }
}

// `called`: the thread is in a system call, whose stub returns to x30.
void put_stack(Program& program, u32 thread, bool called, WperfSimScheduleEvent& event) {
  const ThreadState& registers = program.thread(thread);
  event.frames[0] = kernel_address(called ? KernelWork::system_call : KernelWork::timer_tick);
  event.frames[1] = registers.pc;
  event.frame_count = 2;
  event.kernel_frames = 1;
  if (!called || registers.x[30] == 0) return append_chain(program.space(), registers.x[29], event);
  event.frames[event.frame_count++] = registers.x[30];
  ThreadState caller = registers;
  caller.pc = registers.x[30];
  append_callers(program, caller, event);
}

}  // namespace

u64 Machine::core_ns(const Core& core) const {
  return std::max(clock_.ns_at(core.local_cycles), now_ns_);
}

WperfSimScheduleEvent Machine::note_of(u32 kind, const Core& core) const {
  WperfSimScheduleEvent event{};
  event.time_ns = clock_.ns_at(core.local_cycles);
  event.kind = kind;
  event.core = core.index;
  return event;
}

void Machine::watch_schedule(std::span<const u16> events) {
  schedule_ = std::make_unique<Schedule>(std::vector<u16>(events.begin(), events.end()), cores_.size());
  for (const auto& task : tasks_) {
    for (const auto& thread : task->threads) {
      thread->noted = true;
      if (thread->ended) continue;
      thread->waits = !task->held && sleeps(*thread, now_ns_);
      thread->wait_until_ns = task->program->sleep_until_ns(thread->id);
      thread->left_ns = now_ns_;
    }
  }
  for (Core& core : cores_) {
    schedule_->begin(core.index, signals(core.index));
    core.noted = nullptr;
    const auto runs = std::find_if(core.ready.begin(), core.ready.end(),
                                   [&](const Thread* one) { return one == on_core(core) && !one->waits; });
    if (runs != core.ready.end()) core.noted = *runs;
  }
}

std::vector<WperfSimScheduleEvent> Machine::take_schedule(usize most) {
  std::vector<WperfSimScheduleEvent> taken;
  if (!schedule_) return taken;
  auto& notes = schedule_->notes;
  const auto end = notes.begin() + static_cast<std::ptrdiff_t>(std::min(most, notes.size()));
  taken.assign(notes.begin(), end);
  notes.erase(notes.begin(), end);
  return taken;
}

std::vector<WperfSimThreadTruth> Machine::schedule_truth() const {
  return schedule_ ? schedule_->truth() : std::vector<WperfSimThreadTruth>();
}

void Machine::note_spent(const Core& core, u64 cycles) {
  const Thread* const thread = core.noted;
  schedule_->spend(core.index, thread != nullptr ? thread->task->details.status.pid : 0,
                   thread != nullptr ? thread->id : 0, cycles, signals(core.index));
}

// Records why the thread left its core.
void Machine::note_leaving(const Thread& thread, u64 time_ns, WperfSimScheduleEvent& event) const {
  event.old_process = thread.task->details.status.pid;
  event.old_thread = thread.id;
  event.state = kReady;
  event.reason = kQuantumEnd;
  if (thread.ended) {
    event.state = kTerminated;
    event.reason = 0;
  } else if (sleeps(thread, time_ns)) {
    event.state = kWaiting;
    // A wait that has ended meanwhile no longer shows its purpose.
    const WaitsFor present = thread.task->program->waits_for(thread.id);
    event.reason = reason_of(present != WaitsFor::time ? present : thread.latest_wait);
  } else if (thread.core != event.core) {
    event.state = kDeferredReady;
  }
}

void Machine::note_stack(const Thread& thread, bool called, WperfSimScheduleEvent& event) const {
  put_stack(*thread.task->program, thread.id, called, event);
  if (!stack_watcher_) return;
  stack_watcher_({.time_ns = event.time_ns,
                  .ticks = 0,
                  .pc = event.frames[0],
                  .process = thread.task->details.status.pid,
                  .thread = thread.id,
                  .core = event.core});
}

void Machine::note_switch(Core& core, Thread* next) {
  if (!schedule_ || core.noted == next) return;
  WperfSimScheduleEvent event = note_of(WPERF_SIM_SWITCHED, core);
  if (Thread* const old = core.noted; old != nullptr) {
    note_leaving(*old, event.time_ns, event);
    old->waits = event.state == kWaiting;
    old->left_ns = event.time_ns;
    if (old->waits) old->wait_until_ns = old->task->program->sleep_until_ns(old->id);
  }
  if (next != nullptr) {
    event.process = next->task->details.status.pid;
    event.thread = next->id;
    note_stack(*next, next->in_call, event);
  }
  const Schedule::Counts counts = schedule_->counts_of(signals(core.index));
  std::copy(counts.begin(), counts.end(), event.counts);
  schedule_->notes.push_back(event);
  core.noted = next;
}

void Machine::visit_cores(u32 process, u32 thread) {
  if (!schedule_) return;
  for (Core& core : cores_) {
    Thread* before = core.noted;
    WperfSimScheduleEvent event = note_of(WPERF_SIM_SWITCHED, core);
    event.time_ns = core_ns(core);
    event.process = process;
    event.thread = thread;
    if (before != nullptr) {
      note_leaving(*before, event.time_ns, event);
      if (event.state == kReady) {
        event.reason = kPreempted;
      } else {
        before->waits = event.state == kWaiting;
        before->left_ns = event.time_ns;
        if (before->waits) before->wait_until_ns = before->task->program->sleep_until_ns(before->id);
        before = nullptr;
      }
    }
    const Schedule::Counts counts = schedule_->counts_of(signals(core.index));
    std::copy(counts.begin(), counts.end(), event.counts);
    schedule_->notes.push_back(event);
    event.old_process = process;
    event.old_thread = thread;
    event.state = kWaiting;
    event.reason = kDelayExecution;
    event.process = before != nullptr ? before->task->details.status.pid : 0;
    event.thread = before != nullptr ? before->id : 0;
    schedule_->notes.push_back(event);
    core.noted = before;
  }
}

void Machine::note_ready(const Core& core, Thread& thread, const Thread* waker, u64 time_ns) {
  WperfSimScheduleEvent event = note_of(WPERF_SIM_READIED, core);
  // The clock of the waking thread's core may be earlier than the clock of the core that the waiting thread left.
  event.time_ns = std::max(time_ns, thread.left_ns);
  event.process = thread.task->details.status.pid;
  event.thread = thread.id;
  if (waker != nullptr) {
    event.old_process = waker->task->details.status.pid;
    event.old_thread = waker->id;
    note_stack(*waker, true, event);
  }
  schedule_->notes.push_back(event);
  thread.waits = false;
}

bool Machine::waits_for_host(const Thread& thread) {
  return thread.task->program->waits_for(thread.id) == WaitsFor::host;
}

bool Machine::sleeps(const Thread& thread, u64 time_ns) const {
  return awake_ns(thread) > time_ns || waits_for_host(thread);
}

// Called when the thread has found that its wait for the host is over.
void Machine::note_end_of_host_wait(const Core& core, Thread& thread) {
  if (schedule_ && thread.waits) note_ready(core, thread, nullptr, clock_.ns_at(core.local_cycles));
}

void Machine::note_timer_wakes(const Core& core) {
  const u64 time_ns = clock_.ns_at(core.local_cycles);
  for (Thread* const thread : core.ready) {
    if (!thread->waits || waits_for_host(*thread)) continue;
    if (clock_.cycles_not_before(awake_ns(*thread)) > core.local_cycles) continue;
    note_ready(core, *thread, nullptr, std::min(awake_ns(*thread), time_ns));
  }
}

void Machine::note_life(u32 kind, const Core& core, const Thread& thread, const Thread* creator) {
  WperfSimScheduleEvent event = note_of(kind, core);
  event.process = thread.task->details.status.pid;
  event.thread = thread.id;
  if (creator != nullptr) {
    event.old_process = creator->task->details.status.pid;
    event.old_thread = creator->id;
  }
  schedule_->notes.push_back(event);
}

void Machine::note_begin(const Core& core, Thread& thread, const Thread* creator) {
  thread.noted = true;
  thread.waits = creator != nullptr;  // until a record reports that the thread is ready
  thread.wait_until_ns = ~u64{0};
  thread.left_ns = clock_.ns_at(core.local_cycles);
  note_life(WPERF_SIM_THREAD_BEGAN, core, thread, creator);
}

// When a thread is woken, its core may not have noted yet that the thread left to wait.
void Machine::note_late_leaving(Thread& thread, bool is_woken) {
  Core& core = cores_[thread.core];
  if (!is_woken || thread.waits || core.noted != &thread) return;
  if (awake_ns(thread) <= clock_.ns_at(core.local_cycles)) return;
  note_switch(core, nullptr);
  thread.wait_until_ns = kNever;
}

// Notes the threads that a call of this thread began or woke, in other processes, too.
void Machine::note_wakes(const Core& core, const Thread& caller) {
  const u64 now_ns = clock_.ns_at(core.local_cycles);
  for (const auto& task : tasks_) {
    for (const auto& one : task->threads) {
      if (one->ended) continue;
      const u64 until_ns = task->program->sleep_until_ns(one->id);
      if (!one->noted) note_begin(core, *one, &caller);
      note_late_leaving(*one, until_ns == now_ns);
      if (!one->waits || until_ns == one->wait_until_ns || until_ns > now_ns || waits_for_host(*one)) continue;
      note_ready(core, *one, &caller, now_ns);
    }
  }
}

// Notes the threads that the call began, woke, ended or moved.
void Machine::note_call(Core& core, Thread& caller) {
  caller.in_call = true;
  if (!schedule_) return;
  if (!caller.ended) caller.latest_wait = caller.task->program->waits_for(caller.id);
  if (caller.ended) note_life(WPERF_SIM_THREAD_ENDED, core, caller, nullptr);
  note_wakes(core, caller);
  // A thread that moved to another core may appear there before its old core notes its next thread. So the old core's
  // switch is noted now.
  for (Core& one : cores_) {
    if (one.noted != nullptr && !one.noted->ended && one.noted->core != one.index) note_switch(one, nullptr);
  }
}

}  // namespace wperf::sim
