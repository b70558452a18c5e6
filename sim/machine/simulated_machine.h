// SPDX-License-Identifier: BSD-3-Clause
// The simulated machine: cores, programs pinned to them, one timer, and virtual time, which passes only in wait().
// Deterministic: cores take turns in ascending order within steps of virtual time, so the same options and the same
// calls give the same counts. One thread uses it. HalSim turns the signals into PMU counts.
#pragma once
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "sim/machine/parts.h"
#include "sim/machine/schedule_records.h"
#include "sim/machine/virtual_time.h"
#include "sim/pmu/dmc620_frame.h"

namespace wperf::sim {

struct MachineError {
  std::string text;  // empty = fine
  std::string hint;
};

struct ProgramStatus {
  u32 pid = 0;
  bool running = false;
  u32 exit_code = 0;
  u32 core = 0;
  u64 user_ns = 0, system_ns = 0;  // CPU time of its threads, and of the system on their behalf
};

// A program with its modules and threads. For an ended program, they are in the state at its end.
struct ProgramDetails {
  ProgramStatus status;
  std::string image_path;
  std::vector<u32> threads;
  std::vector<Module> modules;  // the image first
  MachineError crashed;         // the reason if it crashed
};

// The state of a core when the interrupt of its PMU came.
struct Interrupted {
  u64 pc = 0;
  u64 lr = 0;                   // 0 in the kernel
  u32 process = 0, thread = 0;  // 0: the core was idle
  Level level = Level::user;
  u64 fp = 0;  // x29; 0 in the kernel
};

// The interrupt lines of the cores' PMUs, as the machine sees them.
class OverflowInterrupts {
 public:
  virtual bool armed(u32 core) = 0;  // must be cheap
  // While armed: the counts of user code until an overflow; valid until the next call.
  virtual std::span<const EventWatch> watches(u32 core) = 0;
  virtual bool pending(u32 core) = 0;
  virtual void take(u32 core, const Interrupted& what) = 0;  // runs the handler

 protected:
  ~OverflowInterrupts() = default;
};

// The profiling units of the cores, as the machine sees them.
class ProfilingUnits {
 public:
  // The profiler of the core while it profiles, otherwise null. `context`: the thread that runs from here on;
  // `cycles_ahead`: by how much the core's clock is ahead of its executor's count.
  virtual Profiler* profiler(u32 core, u32 context, u64 cycles_ahead) = 0;
  virtual bool profiling_interrupt(u32 core) = 0;       // returns true if an interrupt is pending, and clears it
  virtual void take_profiling_interrupt(u32 core) = 0;  // runs the handler

 protected:
  ~ProfilingUnits() = default;
};

class Machine final : private ProgramHost {
 public:
  Machine(MachineOptions options, std::unique_ptr<Parts> parts);
  ~Machine() override;
  Machine(const Machine&) = delete;
  Machine& operator=(const Machine&) = delete;

  const MachineOptions& options() const { return options_; }
  u64 now_ns() const { return now_ns_; }
  // Like now_ns(), but while an interrupt is handled, returns the time of the core that handles it.
  u64 time_ns() const;

  // Loads a program, which does not run before resume(). Returns its process id, or 0 and an error.
  u32 spawn(const ProgramRequest& request, MachineError& error);
  void resume(u32 pid);
  const ProgramStatus* find(u32 pid) const;
  std::vector<u32> programs() const;  // ids of all programs so far, oldest first
  // Null for an unknown id. The result is valid as long as the machine exists; facts about a running program are valid
  // until wait().
  const ProgramDetails* details(u32 pid);
  // Ends the program and all programs that it started.
  void kill(u32 pid);
  // Sends Ctrl-C to the program's console. Returns false if the program cannot receive it.
  bool interrupt(u32 pid);

  // Lets at most duration_ns pass. Stops earlier if program until_pid ends (0 for no program); the machine's time is
  // then the time of the program's end.
  void wait(u64 duration_ns, u32 until_pid, MachineError& error);

  // All counts up to now.
  const SignalCounts& signals(u32 core) const;
  ClusterSignals cluster(u32 index);
  DmcInput channel(u32 index);

  // Reads memory of the program that was interrupted; returns false if it is not mapped.
  bool read_interrupted(u64 address, void* out, u64 size);
  // Reads memory of a running program in the same way.
  bool read_memory(u32 pid, u64 address, void* out, u64 size);
  u32 process_of(u32 thread) const;  // 0: no such thread

  // Calls callback(context) at now + period, now + 2 * period, …; at exactly these virtual times, within wait().
  using TimerCall = void (*)(void* context);
  void start_timer(u64 period_ns, TimerCall callback, void* context);
  void stop_timer();

  // Both must outlive the machine's wait()s; null disconnects them.
  void connect(OverflowInterrupts* interrupts, ProfilingUnits* profiling = nullptr) {
    interrupts_ = interrupts;
    profiling_ = profiling;
  }

  // From here on the machine records which thread runs on which core, with the core's counts of these events (at most
  // WPERF_SIM_MOST_COUNTS). take_schedule() removes and returns at most `most` records.
  void watch_schedule(std::span<const u16> events);
  std::vector<WperfSimScheduleEvent> take_schedule(usize most);
  usize schedule_notes() const { return schedule_ ? schedule_->notes.size() : 0; }
  void unwatch_schedule() { schedule_.reset(); }
  // While the schedule is watched, the watcher is called for each stack in it; null removes the watcher.
  void watch_stacks(std::function<void(const WperfSimMoment&)> watcher) { stack_watcher_ = std::move(watcher); }
  // A thread that belongs to no program is switched in on each core and leaves it at once, so that the schedule has an
  // entry for each core.
  void visit_cores(u32 process, u32 thread);
  // The expected sums, added up during the run independently of the records.
  std::vector<WperfSimThreadTruth> schedule_truth() const;

  // For tests of sampling that need the true values. Makes the core if it does not exist yet.
  CoreEngine* engine(u32 core);

 private:
  struct Task;
  struct Thread;
  struct Core;

  void make_core(Core& core);
  u64 step_end(u64 limit_ns) const;
  u64 advance(u64 end_ns, u32 until_pid, MachineError& error);
  u64 run_core(Core& core, u64 end_ns, u32 until_pid, MachineError& error);
  void run_thread(Core& core, Thread& thread, u64 limit_cycles, MachineError& error);
  void start_program(Core& core, Thread& thread, MachineError& error);
  void answer_call(Core& core, Thread& thread, u32 immediate, MachineError& error);
  void call_kernel(Core& core, Thread& thread, u32 immediate, MachineError& error);
  Thread* pick(Core& core, u64& wake_cycles);
  void add_thread(Task& task, u32 id, u32 core);
  void place_threads(Task& task, u64 now_ns);
  u64 awake_ns(const Thread& thread) const;
  void work(Core& core, KernelWork kind, const Thread* thread);
  Thread* on_core(const Core& core) const;
  static Interrupted in_kernel(KernelWork kind, const Thread* thread);
  bool interrupt_pending(const Core& core);
  void interrupt(Core& core, const Interrupted& what);
  void set_profiler(Core& core, u32 thread);
  void handle_profiling(Core& core, const Thread* thread);
  void charge(Core& core, Level level);
  // machine_schedule.cpp; each does nothing while the schedule is not watched.
  void note_switch(Core& core, Thread* next);
  void note_late_leaving(Thread& thread, bool is_woken);
  void note_timer_wakes(const Core& core);
  void note_end_of_host_wait(const Core& core, Thread& thread);
  static bool waits_for_host(const Thread& thread);
  bool sleeps(const Thread& thread, u64 time_ns) const;
  void note_call(Core& core, Thread& caller);
  void note_wakes(const Core& core, const Thread& caller);
  void note_ready(const Core& core, Thread& thread, const Thread* waker, u64 time_ns);
  void note_begin(const Core& core, Thread& thread, const Thread* creator);
  void note_life(u32 kind, const Core& core, const Thread& thread, const Thread* creator);
  void note_spent(const Core& core, u64 cycles);
  void note_leaving(const Thread& thread, u64 time_ns, WperfSimScheduleEvent& event) const;
  void note_stack(const Thread& thread, bool called, WperfSimScheduleEvent& event) const;
  WperfSimScheduleEvent note_of(u32 kind, const Core& core) const;
  u64 core_ns(const Core& core) const;
  void end_thread(Thread& thread);
  u32 start(const ChildProcessRequest& request, u64 now_ns) override;
  CpuTimes cpu_times(u32 pid, u32 thread) const override;
  void end(u32 pid, u32 exit_code) override;
  std::vector<CoreCycles> core_cycles(u64 now_ns) const override;
  void has_new_thread(u32 pid, u64 now_ns) override;
  void end_task(Task& task, u32 exit_code);
  void crash(Task& task, MachineError& error);
  void fire_timer();

  MachineOptions options_;
  std::unique_ptr<Parts> parts_;
  VirtualClock clock_;
  Pacer pacer_;
  std::vector<std::unique_ptr<Task>> tasks_;
  std::vector<Core> cores_;
  u64 now_ns_ = 0;
  OverflowInterrupts* interrupts_ = nullptr;
  ProfilingUnits* profiling_ = nullptr;
  const Core* interrupted_ = nullptr;   // its handler runs
  std::unique_ptr<Schedule> schedule_;  // while it is watched
  std::function<void(const WperfSimMoment&)> stack_watcher_;
  struct {
    u64 period_ns = 0;  // 0 = off
    u64 deadline_ns = 0;
    TimerCall callback = nullptr;
    void* context = nullptr;
  } timer_;
};

}  // namespace wperf::sim
