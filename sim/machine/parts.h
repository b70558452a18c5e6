// SPDX-License-Identifier: BSD-3-Clause
// The parts of a machine: cores that execute, programs that run on them, the memory system they share. The real parts
// wrap sim/cpu, sim/windows and sim/memory; tests bring small fakes. Parts make things only on request, because opening
// a machine must stay cheap.
#pragma once
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "sim/cpu/core_engine.h"
#include "sim/machine/machine_options.h"
#include "sim/memory/shared_memory_system.h"
#include "sim/windows/simulated_process.h"

namespace wperf::sim {

// The face of CoreEngine that the machine uses.
class Executor {
 public:
  virtual ~Executor() = default;
  virtual Stop run(AddressSpace& space, ThreadState& thread, u64 cycle_budget, std::span<const EventWatch> watches) = 0;
  virtual void run_kernel(KernelWork work) = 0;
  virtual void set_profiler(Profiler*) {}  // see CoreEngine
  virtual const SignalCounts& signals() const = 0;
  virtual u64 cycles() const = 0;
  virtual CoreEngine* engine() { return nullptr; }  // for tests; may be null
};

// The face of Process that the machine uses.
class Program {
 public:
  virtual ~Program() = default;
  virtual AddressSpace& space() = 0;
  virtual ThreadState& thread(u32 id) = 0;
  virtual std::vector<u32> threads() const = 0;  // all that ever existed, oldest first
  virtual const std::vector<Module>& modules() const = 0;
  virtual CallOutcome kernel_call(u32 thread, u32 immediate, u64 now_ns) = 0;
  virtual bool enters_kernel(u32) const {
    return true;
  }  // whether this call enters the kernel; calls of the C runtime
     // do not
  // Returns false if it ends the program; exit_code and crash_text have the reason.
  [[nodiscard]] virtual bool goes_on_after(u32 thread, const Stop& stop) = 0;
  virtual u64 sleep_until_ns(u32 thread) const = 0;
  virtual WaitsFor waits_for(u32) const { return WaitsFor::time; }  // while it sleeps
  virtual u32 processor(u32 thread) const = 0;                      // the core on which it wants to run
  virtual u32 exit_code() const = 0;
  virtual std::string crash_text() const = 0;
};

struct LoadRequest {
  std::string image_path, command_line;
  u64 seed = 0;
  u32 pid = 0, thread_id = 0;
  u32 core = 0;
};

class Parts {
 public:
  virtual ~Parts() = default;
  virtual std::unique_ptr<Executor> make_core(u32 index) = 0;
  virtual std::unique_ptr<Program> load(const LoadRequest& request, LoadError& error) = 0;
  // The program has threads on several cores: their caches must agree from here on.
  virtual void make_coherent(const AddressSpace&) {}
  // The counts of the shared levels up to now; all zero if no core has been made. cycles is left 0.
  virtual ClusterSignals cluster(u32 index) = 0;
  virtual ChannelSignals channel(u32 index) = 0;
  // Empty, or why programs cannot execute on this host.
  virtual std::string unavailable() = 0;
};

std::unique_ptr<Parts> make_real_parts(const MachineOptions& options);

}  // namespace wperf::sim
