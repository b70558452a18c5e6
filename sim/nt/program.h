// SPDX-License-Identifier: BSD-3-Clause
// A program that the machine runs: its threads, its memory, its calls to the system.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "base/ints.h"
#include "sim/cpu/core_engine.h"
#include "sim/memory/address_space.h"

namespace wperf::sim {

struct Module {
  std::string name;  // "bignum.dll"
  std::string path;  // on this host
  u64 base = 0, size = 0, entry = 0;
};

struct LoadError {
  std::string text;  // empty = fine; one sentence
  std::string hint;
};

namespace nt {
struct Inheritance;  // the things that a process gets from the process that created it
}

// A program that a program starts.
struct ChildProcessRequest {
  std::string image_path, command_line;  // on this host
  u32 core = 0;                          // the core where its first thread starts
  u64 affinity = 0;                      // the cores on which its threads may run
  u32 creator = 0;                       // number of the process that starts it
  std::shared_ptr<const nt::Inheritance> inheritance;
};

struct CpuTimes {
  u64 user_ns = 0, system_ns = 0;
  u64 cycles = 0;  // of cores, for both
};

// The cycles of a core so far.
struct CoreCycles {
  u64 idle = 0, user = 0, system = 0;
};

// The machine's interface for programs that start or end other programs, or query their CPU time.
class ProgramHost {
 public:
  virtual ~ProgramHost() = default;
  // The time of one thread, or of all threads of the process if `thread` is 0.
  virtual CpuTimes cpu_times(u32 pid, u32 thread) const = 0;
  // Returns the number of the process, or 0 if the program cannot be loaded.
  virtual u32 start(const ChildProcessRequest& request, u64 now_ns) = 0;
  virtual void end(u32 pid, u32 exit_code) = 0;
  virtual std::vector<CoreCycles> core_cycles(u64 /*now_ns*/) const { return {}; }
  // Called when another process created a thread in this process.
  virtual void has_new_thread(u32 /*pid*/, u64 /*now_ns*/) {}
};

// The event that wakes a sleeping thread. For the host, the thread looks at each of its wake-up times whether its wait
// is over.
enum class WaitsFor : u8 { time, threads, lock, resumption, host };

// the last two are about the whole process
enum class CallOutcome : u8 { resume, thread_ended, ended, crashed };

class Program {
 public:
  virtual ~Program() = default;
  virtual AddressSpace& space() = 0;
  virtual ThreadState& thread(u32 id) = 0;
  virtual std::vector<u32> threads() const = 0;  // all that ever existed, oldest first
  virtual const std::vector<Module>& modules() const = 0;
  // Called when the thread has executed SVC #immediate. now_ns: virtual time. After `crashed`, crash_text() has the
  // reason.
  virtual CallOutcome kernel_call(u32 thread, u32 immediate, u64 now_ns) = 0;
  // Called when the core has stopped with StopReason::fault. Returns false if that ends the program; exit_code() and
  // crash_text() have the reason.
  [[nodiscard]] virtual bool goes_on_after(u32 thread, const Stop& stop) = 0;
  // Sends Ctrl-C to its console. Returns false if the program cannot receive it.
  virtual bool interrupt(u64 /*now_ns*/) { return false; }
  // Whether it executes code before its own entry point.
  virtual bool is_starting() const { return false; }
  virtual u64 sleep_until_ns(u32 thread) const = 0;
  // Called when the time of a sleeping thread has come. Returns false if the thread sleeps again.
  virtual bool wakes(u32, u64) { return true; }
  virtual WaitsFor waits_for(u32) const { return WaitsFor::time; }  // while it sleeps
  virtual bool has_ended(u32) const { return false; }               // also if a call of another thread ended it
  virtual u32 processor(u32 thread) const = 0;                      // the core to which it should move
  virtual u32 exit_code() const = 0;
  // Whether it crashed because the machine lacks something.
  virtual bool lacked() const { return false; }
  // Called when the machine has ended the program; none of its code runs from then on.
  virtual void ended(u32 /*exit_code*/, u64 /*now_ns*/) {}
  virtual std::string crash_text() const = 0;
};

}  // namespace wperf::sim
