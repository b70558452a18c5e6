// SPDX-License-Identifier: BSD-3-Clause
// The programs of the machine: how they start, where their threads are, and how they end.
#include <algorithm>

#include "sim/machine/machine_state.h"

namespace wperf::sim {
namespace {

constexpr u32 kExitKilled = 1;

std::string name_of(const std::string& path) {
  return path.substr(path.find_last_of("/\\") + 1);
}

}  // namespace

u32 Machine::spawn(const ProgramRequest& request, MachineError& error) {
  if (request.core >= cores_.size()) {
    error.text = "the simulated machine has no core " + std::to_string(request.core);
    error.hint = "its cores are 0 to " + std::to_string(cores_.size() - 1);
    return 0;
  }
  const u32 pid = 1000 + 8 * static_cast<u32>(tasks_.size());  // multiples of 4, as on Windows
  const u32 thread = pid + 4;
  LoadError load_error;
  auto task = std::make_unique<Task>();
  task->program = parts_->load({request, options_.seed + pid, pid, thread, this}, load_error);
  if (!task->program) {
    error.text = load_error.text.empty() ? "cannot load " + request.image_path : load_error.text;
    error.hint = load_error.hint;
    return 0;
  }
  task->details = {{pid, true, 0, request.core, 0, 0}, request.image_path, {}, {}, {}};
  tasks_.push_back(std::move(task));
  add_thread(*tasks_.back(), thread, request.core);
  if (schedule_) note_begin(cores_[request.core], *tasks_.back()->threads.front(), nullptr);
  return pid;
}

u32 Machine::start(const ChildProcessRequest& request, u64 now_ns) {
  MachineError ignored;  // its creator gets a Windows error instead
  const u32 core = std::min<u32>(request.core, static_cast<u32>(cores_.size()) - 1);
  const u32 pid =
      spawn({request.image_path, request.command_line, core, request.affinity, nullptr, request.inheritance}, ignored);
  if (pid == 0) return 0;
  resume(pid);
  tasks_.back()->creator = request.creator;
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
// caller's core, `now_ns`.
void Machine::place_threads(Task& task, u64 now_ns) {
  const std::vector<u32> ids = task.program->threads();
  const auto core_for = [&](u32 id) {
    return std::min<u32>(task.program->processor(id), static_cast<u32>(cores_.size()) - 1);
  };
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

const ProgramStatus* Machine::find(u32 pid) const {
  for (const auto& task : tasks_)
    if (task->status().pid == pid) return &task->status();
  return nullptr;
}

CpuTimes Machine::cpu_times(u32 pid, u32 thread) const {
  for (const auto& task : tasks_) {
    if (task->status().pid != pid) continue;
    if (thread == 0) return {task->status().user_ns, task->status().system_ns, task->user_cycles + task->system_cycles};
    for (const auto& one : task->threads) {
      if (one->id == thread) {
        return {clock_.ns_at(one->user_cycles), clock_.ns_at(one->system_cycles),
                one->user_cycles + one->system_cycles};
      }
    }
  }
  return {};
}

std::vector<CoreCycles> Machine::core_cycles(u64 now_ns) const {
  std::vector<CoreCycles> all;
  for (const Core& core : cores_) {
    const u64 passed = std::max(core.local_cycles, clock_.cycles_at(now_ns));
    const u64 idle = passed - std::min(passed, core.user_cycles + core.system_cycles);
    all.push_back({idle, core.user_cycles, core.system_cycles});
  }
  return all;
}

void Machine::has_new_thread(u32 pid, u64 now_ns) {
  for (const auto& task : tasks_)
    if (task->status().pid == pid && task->program) place_threads(*task, now_ns);
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

// Ctrl-C is sent to all programs on a console: the process and all its descendants. A creator has a lower index than
// the processes it created.
bool Machine::interrupt(u32 pid) {
  std::vector<u32> on_console;
  bool received = false;
  for (usize index = 0; index < tasks_.size(); ++index) {
    Task& task = *tasks_[index];
    const u32 own = task.status().pid;
    if (own != pid && std::ranges::find(on_console, task.creator) == on_console.end()) continue;
    on_console.push_back(own);
    if (!task.status().running || !task.program->interrupt(now_ns_)) continue;
    place_threads(task, clock_.ns_at(cores_[task.threads.front()->core].local_cycles));
    received = true;
  }
  return received;
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

// The instructions before a program's entry point take no time and are not counted. Returns early if the thread waits.
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
      error.text = name_of(task.details.image_path) + " does not reach its entry point";
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

}  // namespace wperf::sim
