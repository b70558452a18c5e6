// SPDX-License-Identifier: BSD-3-Clause
// Counting and sampling by Arm's driver.
#pragma once
#include <memory>

#include "machine/device/device.h"
#include "machine/windowsperf/driver.h"

namespace wperf::windowsperf {

// The opened device, for sessions as long as it lives.
struct Opened {
  Machine& machine;
  Driver driver;
  HardwareAnswer hardware{};
  u32 cluster_count = 0, cluster_size = 0, dsu_counters = 0;  // of the DSUs that were set up
  std::string name;                                           // "Arm's driver (WindowsPerf 3.8.0)"
};

diag::Result<std::unique_ptr<device::CountSession>> open_count_session(Opened& opened, const plan::CountPlan& plan);
diag::Result<std::unique_ptr<device::SampleSession>> open_sample_session(Opened& opened, const plan::SamplePlan& plan);

// The driver's work after its answers to a lock or a reset is over by then (it does not wait for it itself).
inline constexpr u64 kSettlingNs = 2'000'000;

}  // namespace wperf::windowsperf
