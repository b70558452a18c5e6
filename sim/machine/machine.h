// SPDX-License-Identifier: BSD-3-Clause
// The simulated machine: cores, programs pinned to them, one timer, and virtual time, which passes only in wait().
// Deterministic: cores take turns in ascending order within steps of virtual time, so the same options and the same
// calls give the same counts. One thread uses it. What the PMU makes of the signals is HalSim's business.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "sim/machine/parts.h"
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
};

class Machine {
 public:
  Machine(MachineOptions options, std::unique_ptr<Parts> parts);
  ~Machine();
  Machine(const Machine&) = delete;
  Machine& operator=(const Machine&) = delete;

  const MachineOptions& options() const { return options_; }
  u64 now_ns() const { return now_ns_; }

  // Loads a program, ready to run with the next wait(). 0 + error on failure, else its process id.
  u32 spawn(const std::string& image_path, const std::string& command_line, u32 core, MachineError& error);
  const ProgramStatus* find(u32 pid) const;
  void kill(u32 pid);

  // At most duration_ns passes; less when program until_pid (0 = none) ends: then the time is that of its end.
  void wait(u64 duration_ns, u32 until_pid, MachineError& error);

  // Everything up to now.
  const SignalCounts& signals(u32 core) const;
  ClusterSignals cluster(u32 index);
  DmcInput channel(u32 index);

  // Calls callback(context) at now + period, now + 2 * period, …; at exactly these virtual times, within wait().
  using TimerCall = void (*)(void* context);
  void start_timer(u64 period_ns, TimerCall callback, void* context);
  void stop_timer();

 private:
  struct Task;
  struct Core;

  void make_core(Core& core);
  u64 step_end(u64 limit_ns) const;
  u64 advance(u64 end_ns, u32 until_pid, MachineError& error);
  u64 run_core(Core& core, u64 end_ns, u32 until_pid, MachineError& error);
  void run_task(Core& core, Task& task, u64 limit_cycles, MachineError& error);
  Task* pick(Core& core, u64& wake_cycles);
  void work(Core& core, KernelWork kind);
  void charge(Core& core);
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
  struct {
    u64 period_ns = 0;  // 0 = off
    u64 deadline_ns = 0;
    TimerCall callback = nullptr;
    void* context = nullptr;
  } timer_;
};

}  // namespace wperf::sim
