// SPDX-License-Identifier: BSD-3-Clause
// The PMU of one DSU cluster: the CLUSTERPM* registers its cores share, which count the events of the cluster's L3.
// Event counters have 32 bits; an event that the L3 model lacks counts 0. Counters are updated when they are accessed,
// as in CorePmu.
#pragma once
#include <array>

#include "base/ints.h"
#include "driver/hal.h"
#include "sim/memory/shared_memory_system.h"

namespace wperf::sim {

// The value of DSU event `code` (data/uncore.json): a sum of cluster signals.
u64 cluster_event_value(const ClusterSignals& signals, u16 code);

class DsuPmu {
 public:
  explicit DsuPmu(u32 counters);

  u64 read(driver::Register reg, const ClusterSignals& now);
  void write(driver::Register reg, u64 value, const ClusterSignals& now);

 private:
  struct Counter {
    u32 value = 0;
    u16 event = 0;
    u64 seen = 0;
  };
  void synchronize(const ClusterSignals& now);
  Counter* selected();

  u32 count_;
  std::array<Counter, 31> counters_{};
  u64 control_ = 0;  // E
  u64 enabled_ = 0;
  u64 overflowed_ = 0;
  u32 selector_ = 0;
};

}  // namespace wperf::sim
