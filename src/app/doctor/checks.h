// SPDX-License-Identifier: BSD-3-Clause
// The checks of doctor on Linux and on Windows: facts in, checks out. Pure.
#pragma once
#include <vector>

#include "ground/os/machine_facts.h"
#include "machine/linux_kernel/linux_device.h"
#include "machine/windows/driver_facts.h"
#include "model/answers/tool_answers.h"

namespace wperf::doctor {

// The meaning of a Linux machine's facts for measuring, and the remedy. Pure.
std::vector<answers::Check> linux_checks(const linux_kernel::LinuxFacts& facts);

// The findings of `wperf doctor` about Windows, its rules for drivers and the installation of wperf-driver: facts in,
// checks out.

// `works`: the driver could be opened. Then obstacles to loading it are not reported.
std::vector<answers::Check> windows_checks(const os::WindowsFacts& windows, const windows::DriverFacts& driver,
                                           bool works);

}  // namespace wperf::doctor
