// SPDX-License-Identifier: BSD-3-Clause
// The parts of a machine: cores that execute, programs that run on them, the memory system they share. The real parts
// wrap sim/cpu, sim/nt and sim/memory; tests bring small fakes. Cores and programs are created only on request, because
// opening a machine must stay cheap.
#pragma once
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "sim/cpu/core_engine.h"
#include "sim/machine/machine_options.h"
#include "sim/memory/shared_memory_system.h"
#include "sim/nt/program.h"

namespace wperf::sim {

// The part of CoreEngine's interface that the machine uses.
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

struct ProgramRequest {
  std::string image_path, command_line;
  u32 core = 0;                                                  // the core where its first thread starts
  u64 affinity = 0;                                              // the cores on which its threads may run; 0: all
  std::shared_ptr<StandardStreams> streams = nullptr;            // null: those of this process
  std::shared_ptr<const nt::Inheritance> inheritance = nullptr;  // null without a creator
};

struct LoadRequest {
  const ProgramRequest& program;
  u64 seed = 0;
  u32 pid = 0, thread_id = 0;
  ProgramHost* host = nullptr;  // outlives the program
};

class Parts {
 public:
  virtual ~Parts() = default;
  virtual std::unique_ptr<Executor> make_core(u32 index) = 0;
  virtual std::unique_ptr<Program> load(const LoadRequest& request, LoadError& error) = 0;
  // The program now has threads on several cores, whose caches must be coherent from here on.
  virtual void make_coherent(const AddressSpace&) {}
  // The counts of the shared levels so far; all are zero if no core has been made. Does not set `cycles`.
  virtual ClusterSignals cluster(u32 index) = 0;
  virtual ChannelSignals channel(u32 index) = 0;
  // Empty, or the reason why programs cannot execute on this host.
  virtual std::string unavailable() = 0;
};

std::unique_ptr<Parts> make_real_parts(const MachineOptions& options);

}  // namespace wperf::sim
