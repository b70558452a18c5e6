// SPDX-License-Identifier: BSD-3-Clause
// The hardware below the fake of Arm's driver: counters that are programmed, run, and are read once. It is implemented
// by the simulated machine (fake_machine_linux.cpp) and by tests.
#pragma once
#include <array>
#include <map>
#include <vector>

#include "base/ints.h"
#include "machine/windowsperf/windowsperf_machine.h"

namespace wperf::windowsperf::fake {

struct FakeParts {
  u64 midr = 0, id_aa64dfr0 = 0, pmbidr = 0, pmsidr = 0;
  u32 cores = 0, counters = 0, free_counters = 0;
  std::array<u8, 32> counter_map{};
  u32 clusters = 0, cluster_size = 0, dsu_counters = 0;
  std::vector<device::DeviceMemory> dmc_channels;
};

// The settings of counters. There are never more codes than counters.
struct Programmed {
  std::vector<u32> cores;
  bool kernel = false;
  std::vector<u16> core, dsu, clkdiv2;
  bool operator==(const Programmed&) const = default;
};
struct CountedCore {
  u64 cycles = 0;  // user mode
  std::vector<u64> values;
};
// Counts since the hardware was programmed, by core, cluster and channel.
struct Counted {
  std::map<u32, CountedCore> cores;
  std::map<u32, std::vector<u64>> clusters, channels;
};

struct FakeSource {
  u16 code = 0;
  u32 interval = 0;
};
struct FakeSample {
  u64 pc = 0, lr = 0;
  u32 sources = 0;  // bit n: source n overflowed
};

class FakeHardware {
 public:
  virtual ~FakeHardware() = default;
  virtual u64 now_ns() = 0;
  virtual diag::Result<FakeParts> parts() = 0;  // only after take_counters()
  // Takes the counters from other owners. Returns whether they were available.
  virtual diag::Result<bool> take_counters(bool force) = 0;
  virtual void give_counters_back() = 0;
  virtual bool has_counters() = 0;
  virtual diag::Result<void> count(const Programmed& programmed) = 0;
  virtual diag::Result<Counted> stop_counting() = 0;
  virtual diag::Result<void> sample(u32 core, bool kernel, const std::vector<FakeSource>& sources) = 0;
  virtual diag::Result<std::vector<FakeSample>> take_samples() = 0;  // in order; each is returned once
  virtual diag::Result<void> stop_sampling() = 0;
};

}  // namespace wperf::windowsperf::fake
