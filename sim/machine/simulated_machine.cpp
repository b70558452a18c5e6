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
// While threads of one program execute on several cores, in cycles: data that one writes is soon read by another.
constexpr u64 kCloseStepCycles = 32;
constexpr u64 kNever = ~u64{0};

constexpr u32 kExitKilled = 1;

u64 add_saturated(u64 a, u64 b) {
  return a > kNever - b ? kNever : a + b;
}

std::string name_of(const std::string& path) {
  return path.substr(path.find_last_of("/\\") + 1);
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

u32 Machine::spawn(const ProgramWish& wish, MachineError& error) {
  if (wish.core >= cores_.size()) {
    error.text = "the simulated machine has no core " + std::to_string(wish.core);
    error.hint = "its cores are 0 to " + std::to_string(cores_.size() - 1);
    return 0;
  }
  const u32 pid = 1000 + 8 * static_cast<u32>(tasks_.size());  // multiples of 4, as on Windows
  const u32 thread = pid + 4;
  LoadError load_error;
  auto task = std::make_unique<Task>();
  task->program = parts_->load({wish, options_.seed + pid, pid, thread, this}, load_error);
  if (!task->program) {
    error.text = load_error.text.empty() ? "cannot load " + wish.image_path : load_error.text;
    error.hint = load_error.hint;
    return 0;
  }
  task->details = {{pid, true, 0, wish.core, 0, 0}, wish.image_path, {}, {}, {}};
  tasks_.push_back(std::move(task));
  add_thread(*tasks_.back(), thread, wish.core);
  if (schedule_) note_begin(cores_[wish.core], *tasks_.back()->threads.front(), nullptr);
  return pid;
}

u32 Machine::start(const ChildWish& wish, u64 now_ns) {
  MachineError ignored;  // its creator gets a Windows error instead
  const u32 core = std::min<u32>(wish.core, static_cast<u32>(cores_.size()) - 1);
  const u32 pid = spawn({wish.image_path, wish.command_line, core, wish.affinity, nullptr, wish.inheritance}, ignored);
  if (pid == 0) return 0;
  resume(pid);
  tasks_.back()->creator = wish.creator;
  tasks_.back()->threads.front()->not_before_ns = now_ns;
  return pid;
}

void Machine::end(u32 pid, u32 exit_code) {
  for (const auto& task : tasks_)
    if (task->status().pid == pid && task->status().running) end_task(*task, exit_code);
}

void Machine::resume(u32 pid) {
  for (const auto& task : tasks_)
    if (task->status().pid == pid) task->held = false;
}

void Machine::add_thread(Task& task, u32 id, u32 core) {
  task.details.threads.push_back(id);
  task.threads.push_back(std::make_unique<Thread>(Thread{&task, id, core, 0, false}));
  cores_[core].ready.push_back(task.threads.back().get());
}

// Called after a call: threads may be new, or want to move to another core. They arrive there at the time of the
// caller's core.
void Machine::place_threads(Task& task, const Core& now_on) {
  const std::vector<u32> ids = task.program->threads();
  const auto core_for = [&](u32 id) {
    return std::min<u32>(task.program->processor(id), static_cast<u32>(cores_.size()) - 1);
  };
  const u64 now_ns = clock_.ns_at(now_on.local_cycles);
  for (usize index = task.threads.size(); index < ids.size(); ++index) {
    add_thread(task, ids[index], core_for(ids[index]));
    task.threads.back()->not_before_ns = now_ns;
  }
  bool spread = false;
  for (const auto& thread : task.threads) {
    if (!thread->ended && task.program->has_ended(thread->id)) end_thread(*thread);
    if (thread->ended) continue;
    const u32 wanted = core_for(thread->id);
    spread |= wanted != task.threads.front()->core;
    if (wanted == thread->core) continue;
    std::erase(cores_[thread->core].ready, thread.get());
    cores_[thread->core].slice_end_cycles = 0;
    thread->core = wanted;
    thread->not_before_ns = now_ns;
    cores_[wanted].ready.push_back(thread.get());
    spread = true;
  }
  if (!spread || task.spread) return;
  task.spread = true;
  parts_->make_coherent(task.program->space());
}

u64 Machine::awake_ns(const Thread& thread) const {
  if (thread.task->held) return kNever;
  return std::max(thread.task->program->sleep_until_ns(thread.id), thread.not_before_ns);
}

const ProgramStatus* Machine::find(u32 pid) const {
  for (const auto& task : tasks_)
    if (task->status().pid == pid) return &task->status();
  return nullptr;
}

std::vector<u32> Machine::programs() const {
  std::vector<u32> ids;
  for (const auto& task : tasks_) ids.push_back(task->status().pid);
  return ids;
}

const ProgramDetails* Machine::details(u32 pid) {
  for (const auto& task : tasks_) {
    if (task->status().pid != pid) continue;
    if (task->program) task->details.modules = task->program->modules();
    return &task->details;
  }
  return nullptr;
}

// Ends a thread that did not end itself.
void Machine::end_thread(Thread& thread) {
  Core& core = cores_[thread.core];
  thread.ended = true;
  if (std::erase(core.ready, &thread) != 0) core.slice_end_cycles = 0;
  if (schedule_) note_life(WPERF_SIM_THREAD_ENDED, core, thread, nullptr);
}

void Machine::end_task(Task& task, u32 exit_code) {
  for (const auto& thread : task.threads)
    if (!thread->ended) end_thread(*thread);
  task.status().running = false;
  task.status().exit_code = exit_code;
  task.details.modules = task.program->modules();
  const Core& core = cores_[task.threads.front()->core];
  task.program->ended(exit_code, std::max(now_ns_, clock_.ns_at(core.local_cycles)));
  if (schedule_) note_wakes(core, *task.threads.front());
  task.program.reset();
}

void Machine::kill(u32 pid) {
  end(pid, kExitKilled);
  for (usize index = 0; index < tasks_.size(); ++index)
    if (tasks_[index]->creator == pid) kill(tasks_[index]->status().pid);
}

bool Machine::interrupt(u32 pid) {
  for (const auto& task : tasks_) {
    if (task->status().pid != pid || !task->status().running) continue;
    if (!task->program->interrupt(now_ns_)) return false;
    place_threads(*task, cores_[task->threads.front()->core]);
    return true;
  }
  return false;
}

void Machine::crash(Task& task, MachineError& error) {
  MachineError& crashed = task.details.crashed;
  crashed.text = name_of(task.details.image_path) + " (process " + std::to_string(task.status().pid) +
                 ") crashed on the simulated machine: " + task.program->crash_text();
  crashed.hint = parts_->unavailable().empty()
                     ? "run the program under a debugger; sim/README.md says what the simulated Windows lacks"
                     : "to run programs, the simulator needs the Unicorn library (libunicorn2)";
  if (error.text.empty() && (task.creator == 0 || task.program->lacked())) error = crashed;
  end_task(task, task.program->exit_code());
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

// The instructions before a program's entry point take no time and are not counted. A wait ends this early.
void Machine::start_program(Core& core, Thread& thread, MachineError& error) {
  constexpr u64 kStep = 1'000'000, kMost = 10'000'000'000;
  make_core(core);
  Task& task = *thread.task;
  const SignalCounts counted = core.executor->signals() - core.left_out;
  const u64 begin = core.executor->cycles();
  core.executor->set_profiler(nullptr);
  const auto goes_on = [&] {
    return task.status().running && !thread.ended && thread.core == core.index && task.program->is_starting() &&
           awake_ns(thread) <= clock_.ns_at(core.local_cycles);
  };
  while (goes_on()) {
    if (core.executor->cycles() - begin > kMost) {
      error.text = name_of(task.details.image_path) + " does not come to its entry point";
      task.details.crashed = error;
      end_task(task, kExitKilled);
      break;
    }
    const Stop stop = core.executor->run(task.program->space(), task.program->thread(thread.id), kStep, {});
    if (stop.reason == StopReason::fault && !task.program->goes_on_after(thread.id, stop)) crash(task, error);
    if (stop.reason == StopReason::kernel_call) answer_call(core, thread, stop.immediate, error);
  }
  core.left_out = core.executor->signals() - counted;
  core.has_left_out = true;
  core.charged_cycles = core.executor->cycles();
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
      place_threads(task, core);
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
const Machine::Thread* Machine::on_core(const Core& core) const {
  const Thread* const last = core.last;
  if (last == nullptr || last->ended || last->core != core.index) return nullptr;
  return clock_.cycles_not_before(awake_ns(*last)) <= core.local_cycles ? last : nullptr;
}

// Kernel work is one unit here: an overflow anywhere in it is reported at its start.
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

bool Machine::read_memory(u32 pid, u64 address, void* out, u64 size) {
  const auto found = std::find_if(tasks_.begin(), tasks_.end(),
                                  [pid](const auto& task) { return task->status().pid == pid && task->program; });
  return found != tasks_.end() && (*found)->program->space().read(address, out, size);
}

u32 Machine::process_of(u32 thread) const {
  for (const auto& task : tasks_) {
    const auto& ids = task->details.threads;
    if (std::find(ids.begin(), ids.end(), thread) != ids.end()) return task->details.status.pid;
  }
  return 0;
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

// The buffer of the core's profiling unit is full. The work of the handler may fill the next one.
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

// Advances the core's clock by the executor's latest cycles; by at least one, so that time always advances.
void Machine::charge(Core& core, Level level) {
  const u64 cycles = core.executor->cycles();
  const u64 spent = std::max<u64>(cycles - core.charged_cycles, 1);
  if (const Thread* const thread = on_core(core); thread != nullptr) {
    Task& task = *thread->task;
    (level == Level::user ? task.user_cycles : task.system_cycles) += spent;
    task.status().user_ns = clock_.ns_at(task.user_cycles);
    task.status().system_ns = clock_.ns_at(task.system_cycles);
  }
  core.local_cycles += spent;
  if (schedule_) note_spent(core, spent);
  core.charged_cycles = cycles;
}

}  // namespace wperf::sim
