// SPDX-License-Identifier: BSD-3-Clause
// The sessions of the Linux device.
#pragma once
#include <memory>
#include <vector>

#include "machine/device/device.h"
#include "machine/linux_kernel/linux_programs_linux.h"
#include "machine/perf_events/counter_linux.h"
#include "machine/perf_events/units.h"

namespace wperf::linux_kernel {

// Facts that the kernel reports about this machine.
struct LinuxMachine {
  std::vector<perf_events::Unit> units;
  bool has_counters = false;
  std::vector<u32> cores;  // online
};

// The PMU with the counters of `core`. On Arm the catalogue has its event numbers.
u32 core_unit_type(const LinuxMachine& machine, u32 core);
// One PMU type for each kind of core, for events that follow a program to any core.
std::vector<u32> core_unit_types(const LinuxMachine& machine);

// `opener` replaces the kernel in tests.
diag::Result<std::unique_ptr<device::CountSession>> open_linux_count(
    LinuxPrograms& programs, const LinuxMachine& machine, const plan::CountPlan& plan,
    perf_events::OpenEvent opener = perf_events::open_event);
diag::Result<std::unique_ptr<device::SpeSession>> open_linux_spe(LinuxPrograms& programs, const LinuxMachine& machine,
                                                                 const plan::SpePlan& plan);
diag::Result<std::unique_ptr<device::RecordingSession>> open_linux_recording(LinuxPrograms& programs,
                                                                             const LinuxMachine& machine,
                                                                             const plan::SamplePlan& plan,
                                                                             const device::RecordingTarget& target);

}  // namespace wperf::linux_kernel
