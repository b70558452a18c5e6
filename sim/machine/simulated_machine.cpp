// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>

#include "sim/machine/machine_state.h"

namespace wperf::sim {
namespace {

// While several cores execute, one may be this far ahead of another.
constexpr u64 kSharedStepNs = 20'000;
// While at most one core executes, time may advance in steps of this length.
constexpr u64 kLoneStepNs = 1'000'000;
constexpr u64 kIdleStepNs = 20'000'000;
constexpr u64 kTimeSliceNs = 1'000'000;
constexpr u64 kTickPeriodNs = 15'625'000;  // 64 Hz, as on Windows
// The step while threads of one program execute on several cores: it is short, because one thread soon reads data that
// another wrote.
constexpr u64 kCloseStepCycles = 32;

u64 add_saturated(u64 a, u64 b) {
  return a > kNever - b ? kNever : a + b;
}

}  // namespace

Machine::Machine(MachineOptions options, std::unique_ptr<Parts> parts)
    : options_(std::move(options)), parts_(std::move(parts)), clock_(options_.mhz), pacer_(options_.pace) {
  const auto count = static_cast<u32>(options_.cores.size());
  cores_.resize(count);
  for (u32 index = 0; index < count; ++index) {
    cores_[index].index = index;
    // The ticks of the cores come at different times, as on a real machine.
    cores_[index].next_tick_ns = kTickPeriodNs * (index + 1) / count;
  }
}

// A core that ran a program may still have its memory mapped, so the cores are destroyed first.
Machine::~Machine() {
  cores_.clear();
}

void Machine::make_core(Core& core) {
  if (!core.executor) core.executor = parts_->make_core(core.index);
}

u64 Machine::awake_ns(const Thread& thread) const {
  if (thread.task->held) return kNever;
  return std::max(thread.task->program->sleep_until_ns(thread.id), thread.not_before_ns);
}

const SignalCounts& Machine::signals(u32 core) const {
  static constexpr SignalCounts kNothing{};
  const Core& one = cores_[core];
  if (!one.executor) return kNothing;
  const SignalCounts& all = one.executor->signals();
  if (!one.has_left_out) return all;
  one.counted = all - one.left_out;
  return one.counted;
}

ClusterSignals Machine::cluster(u32 index) {
  ClusterSignals signals = parts_->cluster(index);
  signals.cycles = clock_.cycles_at(now_ns_);
  return signals;
}

DmcInput Machine::channel(u32 index) {
  return {parts_->channel(index), now_ns_};
}

u64 Machine::time_ns() const {
  return interrupted_ != nullptr ? std::max(now_ns_, clock_.ns_at(interrupted_->local_cycles)) : now_ns_;
}

CoreEngine* Machine::engine(u32 core) {
  make_core(cores_[core]);
  return cores_[core].executor->engine();
}

void Machine::start_timer(u64 period_ns, TimerCall callback, void* context) {
  timer_ = {period_ns, add_saturated(now_ns_, period_ns), callback, context};
}

void Machine::stop_timer() {
  timer_ = {};
}

void Machine::fire_timer() {
  timer_.deadline_ns = add_saturated(timer_.deadline_ns, timer_.period_ns);
  timer_.callback(timer_.context);
}

void Machine::wait(u64 duration_ns, u32 until_pid, MachineError& error) {
  const ProgramStatus* until = until_pid == 0 ? nullptr : find(until_pid);
  if (until_pid != 0 && until == nullptr) {
    error.text = "the simulated machine has no process " + std::to_string(until_pid);
    return;
  }
  const u64 end_ns = add_saturated(now_ns_, duration_ns);
  pacer_.begin(now_ns_);
  while (now_ns_ < end_ns && (until == nullptr || until->running)) {
    now_ns_ = advance(step_end(end_ns), until_pid, error);
    if (timer_.period_ns != 0 && now_ns_ >= timer_.deadline_ns) fire_timer();
    pacer_.keep(now_ns_);
  }
  pacer_.finish(now_ns_);
}

// How far all cores may run before an event requires them to be at the same time.
u64 Machine::step_end(u64 limit_ns) const {
  u32 busy = 0, close = 0;
  u64 wake_ns = kNever;
  for (const Core& core : cores_) {
    u64 core_wake_ns = kNever;
    bool spread = false;
    for (const Thread* thread : core.ready) {
      core_wake_ns = std::min(core_wake_ns, awake_ns(*thread));
      spread |= thread->task->spread;
    }
    if (core_wake_ns <= now_ns_) {
      ++busy;
      close += u32{spread};
    } else
      wake_ns = std::min(wake_ns, core_wake_ns);
  }
  u64 end_ns = std::min(limit_ns, wake_ns);
  if (timer_.period_ns != 0) end_ns = std::min(end_ns, timer_.deadline_ns);
  u64 step_ns = busy > 1 ? kSharedStepNs : kLoneStepNs;
  if (close > 1) step_ns = std::min(step_ns, std::max<u64>(1, clock_.ns_at(kCloseStepCycles)));
  if (busy == 0) step_ns = pacer_.real() ? kIdleStepNs : kNever;
  return std::min(end_ns, add_saturated(now_ns_, step_ns));
}

// Advances every core to end_ns, or to the end of until_pid if that comes first. Returns the time reached.
u64 Machine::advance(u64 end_ns, u32 until_pid, MachineError& error) {
  for (Core& core : cores_) end_ns = run_core(core, end_ns, until_pid, error);
  return end_ns;
}

u64 Machine::run_core(Core& core, u64 end_ns, u32 until_pid, MachineError& error) {
  const u64 end_cycles = clock_.cycles_at(end_ns);
  while (core.local_cycles < end_cycles) {
    // The handler's own work may overflow a counter.
    if (interrupt_pending(core)) {
      interrupt(core, in_kernel(KernelWork::overflow_interrupt, on_core(core)));
      continue;
    }
    const u64 tick_cycles = clock_.cycles_at(core.next_tick_ns);
    if (core.local_cycles >= tick_cycles) {
      core.next_tick_ns += kTickPeriodNs;
      work(core, KernelWork::timer_tick, on_core(core));
      continue;
    }
    const u64 limit = std::min(end_cycles, tick_cycles);
    u64 wake_cycles = limit;
    if (schedule_) note_timer_wakes(core);
    Thread* const thread = pick(core, wake_cycles);
    if (thread == nullptr) {
      note_switch(core, nullptr);
      core.local_cycles = wake_cycles;  // the core waits for an interrupt; its clock stands still
      continue;
    }
    Task& task = *thread->task;
    run_thread(core, *thread, limit, error);
    if (task.status().pid == until_pid && !task.status().running)
      return std::clamp(clock_.ns_at(core.local_cycles), now_ns_, end_ns);
  }
  return end_ns;
}

// The thread that runs next. If there is none, returns null and lowers wake_cycles to the time when the first one wakes
// up.
Machine::Thread* Machine::pick(Core& core, u64& wake_cycles) {
  if (core.local_cycles >= core.slice_end_cycles && core.ready.size() > 1 && core.slice_end_cycles != 0)
    std::rotate(core.ready.begin(), core.ready.begin() + 1, core.ready.end());
  for (usize turn = 0; turn < core.ready.size(); ++turn) {
    Thread* const thread = core.ready[turn];
    const u64 awake_cycles = clock_.cycles_not_before(awake_ns(*thread));
    if (awake_cycles > core.local_cycles) {
      wake_cycles = std::min(wake_cycles, awake_cycles);
      continue;
    }
    std::rotate(core.ready.begin(), core.ready.begin() + static_cast<std::ptrdiff_t>(turn), core.ready.end());
    if (turn != 0 || core.local_cycles >= core.slice_end_cycles)
      core.slice_end_cycles = core.local_cycles + clock_.cycles_at(kTimeSliceNs);
    return thread;
  }
  return nullptr;
}

void Machine::run_thread(Core& core, Thread& thread, u64 limit_cycles, MachineError& error) {
  if (!thread.task->program->wakes(thread.id, clock_.ns_at(core.local_cycles))) return;
  note_end_of_host_wait(core, thread);
  if (!options_.startup_counted && thread.task->program->is_starting()) return start_program(core, thread, error);
  make_core(core);
  if (core.last != nullptr && core.last != &thread) work(core, KernelWork::context_switch, core.last);
  core.last = &thread;
  note_switch(core, &thread);
  const u64 stop_cycles = std::min(limit_cycles, core.slice_end_cycles);
  if (core.local_cycles >= stop_cycles) return;
  thread.in_call = false;
  Task& task = *thread.task;
  ThreadState& registers = task.program->thread(thread.id);
  set_profiler(core, thread.id);
  const bool watched = interrupts_ != nullptr && interrupts_->armed(core.index);
  const Stop stop = core.executor->run(task.program->space(), registers, stop_cycles - core.local_cycles,
                                       watched ? interrupts_->watches(core.index) : std::span<const EventWatch>());
  charge(core, Level::user);
  if (watched && interrupt_pending(core)) {
    interrupt(core,
              {stop.overflowed ? stop.overflow_pc : registers.pc, stop.overflowed ? stop.overflow_lr : registers.x[30],
               task.status().pid, thread.id, Level::user, stop.overflowed ? stop.overflow_fp : registers.x[29]});
  }
  handle_profiling(core, &thread);
  if (stop.reason == StopReason::fault) {
    if (!task.program->goes_on_after(thread.id, stop)) crash(task, error);
    return;
  }
  if (stop.reason == StopReason::kernel_call) call_kernel(core, thread, stop.immediate, error);
}

void Machine::call_kernel(Core& core, Thread& thread, u32 immediate, MachineError& error) {
  work(core, KernelWork::system_call, &thread);
  answer_call(core, thread, immediate, error);
}

void Machine::answer_call(Core& core, Thread& thread, u32 immediate, MachineError& error) {
  Task& task = *thread.task;
  const CallOutcome outcome = task.program->kernel_call(thread.id, immediate, clock_.ns_at(core.local_cycles));
  switch (outcome) {
    case CallOutcome::resume:
      place_threads(task, clock_.ns_at(core.local_cycles));
      return note_call(core, thread);
    case CallOutcome::thread_ended:
      thread.ended = true;
      std::erase(core.ready, &thread);
      core.slice_end_cycles = 0;
      return note_call(core, thread);
    case CallOutcome::ended:
      return end_task(task, task.program->exit_code());
    case CallOutcome::crashed:
      return crash(task, error);
  }
}

// `thread`: the thread that the work is attributed to.
void Machine::work(Core& core, KernelWork kind, const Thread* thread) {
  make_core(core);
  set_profiler(core, thread != nullptr ? thread->id : 0);
  core.executor->run_kernel(kind);
  charge(core, Level::kernel);
  if (interrupt_pending(core)) interrupt(core, in_kernel(kind, thread));
  handle_profiling(core, thread);
}

// The thread that the core was executing, or null if the core was idle.
Machine::Thread* Machine::on_core(const Core& core) const {
  Thread* const last = core.last;
  if (last == nullptr || last->ended || last->core != core.index) return nullptr;
  return clock_.cycles_not_before(awake_ns(*last)) <= core.local_cycles ? last : nullptr;
}

// Kernel work is treated as one unit: an overflow anywhere in it is reported at its start.
Interrupted Machine::in_kernel(KernelWork kind, const Thread* thread) {
  return {
      kernel_address(kind), 0, thread != nullptr ? thread->task->status().pid : 0, thread != nullptr ? thread->id : 0,
      Level::kernel,        0};
}

bool Machine::interrupt_pending(const Core& core) {
  return interrupts_ != nullptr && interrupts_->armed(core.index) && interrupts_->pending(core.index);
}

bool Machine::read_interrupted(u64 address, void* out, u64 size) {
  const Thread* const thread = interrupted_ != nullptr ? on_core(*interrupted_) : nullptr;
  return thread != nullptr && thread->task->program != nullptr &&
         thread->task->program->space().read(address, out, size);
}

void Machine::interrupt(Core& core, const Interrupted& what) {
  interrupted_ = &core;
  interrupts_->take(core.index, what);
  interrupted_ = nullptr;
  make_core(core);
  set_profiler(core, what.thread);
  core.executor->run_kernel(KernelWork::overflow_interrupt);
  charge(core, Level::kernel);
}

// Called before the core executes for a thread.
void Machine::set_profiler(Core& core, u32 thread) {
  const u64 ahead = core.local_cycles - core.executor->cycles();
  core.executor->set_profiler(profiling_ != nullptr ? profiling_->profiler(core.index, thread, ahead) : nullptr);
}

// Called when the buffer of the core's profiling unit is full. The work of the handler may fill the buffer again.
void Machine::handle_profiling(Core& core, const Thread* thread) {
  while (profiling_ != nullptr && profiling_->profiling_interrupt(core.index)) {
    interrupted_ = &core;
    profiling_->take_profiling_interrupt(core.index);
    interrupted_ = nullptr;
    set_profiler(core, thread != nullptr ? thread->id : 0);
    core.executor->run_kernel(KernelWork::overflow_interrupt);
    charge(core, Level::kernel);
  }
}

// Advances the core's clock by the executor's latest cycles, at least by one, so that time always advances.
void Machine::charge(Core& core, Level level) {
  const u64 cycles = core.executor->cycles();
  const u64 spent = std::max<u64>(cycles - core.charged_cycles, 1);
  if (Thread* const thread = on_core(core); thread != nullptr) {
    Task& task = *thread->task;
    (level == Level::user ? core.user_cycles : core.system_cycles) += spent;
    (level == Level::user ? thread->user_cycles : thread->system_cycles) += spent;
    (level == Level::user ? task.user_cycles : task.system_cycles) += spent;
    task.status().user_ns = clock_.ns_at(task.user_cycles);
    task.status().system_ns = clock_.ns_at(task.system_cycles);
  }
  core.local_cycles += spent;
  if (schedule_) note_spent(core, spent);
  core.charged_cycles = cycles;
}

}  // namespace wperf::sim
