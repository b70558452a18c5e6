// SPDX-License-Identifier: BSD-3-Clause
// The internal state of the machine: simulated_machine.cpp runs it, machine_programs.cpp starts and ends its programs,
// and machine_schedule.cpp records which thread ran on which core.
#pragma once
#include "sim/machine/simulated_machine.h"

namespace wperf::sim {

inline constexpr u64 kNever = ~u64{0};

struct Machine::Task {
  ProgramDetails details;
  std::unique_ptr<Program> program;  // null once ended
  std::vector<std::unique_ptr<Thread>> threads;
  bool held = true;                        // until resume()
  u32 creator = 0;                         // the process that started it, and learns its exit code; 0: none
  bool spread = false;                     // had threads on several cores
  u64 user_cycles = 0, system_cycles = 0;  // core cycles that were spent for the program

  ProgramStatus& status() { return details.status; }
};

struct Machine::Thread {
  Task* task = nullptr;
  u32 id = 0;
  u32 core = 0;
  u64 not_before_ns = 0;  // the time when it moved to this core; the core's clock may be earlier
  bool ended = false;
  // While the schedule is watched: whether it left its core to wait, the end of that wait, and when it left.
  bool waits = false;
  u64 wait_until_ns = 0, left_ns = 0;
  WaitsFor latest_wait = WaitsFor::time;  // what it waited for when its latest call ended
  bool noted = false;                     // the start of the thread was noted
  bool in_call = false;                   // it was in a system call when it last left a core
  u64 user_cycles = 0, system_cycles = 0;
};

// A core's clock may be a little ahead of the machine's, because an instruction cannot be interrupted.
struct Machine::Core {
  u32 index = 0;
  std::unique_ptr<Executor> executor;  // made when the core first does something
  std::vector<Thread*> ready;          // its threads; the first one runs next
  Thread* last = nullptr;              // the thread whose registers and address space the core has
  u64 local_cycles = 0;
  SignalCounts left_out;  // signals of program starts, which do not count (start_program)
  bool has_left_out = false;
  mutable SignalCounts counted;            // the executor's signals without left_out
  u64 charged_cycles = 0;                  // cycles of the executor that have been charged
  u64 user_cycles = 0, system_cycles = 0;  // core cycles that were spent for threads
  u64 next_tick_ns = 0;
  u64 slice_end_cycles = 0;
  Thread* noted = nullptr;  // while the schedule is watched: the thread that runs here; null if idle
};

}  // namespace wperf::sim
