// SPDX-License-Identifier: BSD-3-Clause
// The interface through which a core reports operations to a profiling unit (sim/pmu/spe_unit). The unit counts
// operations down to the next one it chooses. The engine examines that operation closely; all others cost no time. An
// operation is an architectural instruction.
#pragma once
#include "base/ints.h"
#include "sim/cpu/operation.h"

namespace wperf::sim {

class Profiler {
 public:
  // Whether operations of this level are in the profiler's population now.
  virtual bool profiles(Level level) const = 0;
  // After how many operations the next one is chosen; at least 1.
  virtual u64 remaining() const = 0;
  // Reports that this many operations were executed, fewer than remaining().
  virtual void pass(u64 operations) = 0;
  // The chosen operation began at this cycle, and the next interval begins with it. Returns false if the previous
  // chosen operation was still under way.
  virtual bool choose(u64 cycle) = 0;

  struct Completion {
    bool kept = false;       // no filter removed it
    bool interrupt = false;  // the unit requests its interrupt; until that is handled, its population does not grow
  };
  // Called after choose() returned true.
  virtual Completion complete(const Operation& operation) = 0;

 protected:
  ~Profiler() = default;
};

}  // namespace wperf::sim
