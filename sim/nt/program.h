// SPDX-License-Identifier: BSD-3-Clause
// A program that the machine runs: its threads, its memory, its calls to the system.
#pragma once
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

// The event that wakes a sleeping thread.
enum class WaitsFor : u8 { time, threads, lock, resumption };

// all but the first two concern the whole process
enum class CallOutcome : u8 { resume, thread_ended, ended, crashed };

class Program {
 public:
  virtual ~Program() = default;
  virtual AddressSpace& space() = 0;
  virtual ThreadState& thread(u32 id) = 0;
  virtual std::vector<u32> threads() const = 0;  // all that ever existed, oldest first
  virtual const std::vector<Module>& modules() const = 0;
  // The thread executed SVC #immediate. now_ns: virtual time. On `crashed`, crash_text() says why.
  virtual CallOutcome kernel_call(u32 thread, u32 immediate, u64 now_ns) = 0;
  // The core stopped with StopReason::fault. Returns false if that ends the program; exit_code() and crash_text() have
  // the reason.
  [[nodiscard]] virtual bool goes_on_after(u32 thread, const Stop& stop) = 0;
  // Ctrl-C on its console. Returns false if it cannot take that.
  virtual bool interrupt(u64 /*now_ns*/) { return false; }
  // Whether it executes what comes before its own entry point.
  virtual bool is_starting() const { return false; }
  virtual u64 sleep_until_ns(u32 thread) const = 0;
  // The thread slept and its time has come. Returns false if it sleeps again.
  virtual bool wakes(u32, u64) { return true; }
  virtual WaitsFor waits_for(u32) const { return WaitsFor::time; }  // while it sleeps
  virtual bool has_ended(u32) const { return false; }               // by a call of another thread, too
  virtual u32 processor(u32 thread) const = 0;                      // the core on which it wants to run
  virtual u32 exit_code() const = 0;
  virtual std::string crash_text() const = 0;
};

}  // namespace wperf::sim
