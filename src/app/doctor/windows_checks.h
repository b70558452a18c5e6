// SPDX-License-Identifier: BSD-3-Clause
// The findings of `wperf doctor` about Windows, its rules for drivers and the installation of wperf-driver: facts in,
// checks out.
#pragma once
#include <vector>

#include "ground/os/windows_facts.h"
#include "machine/windows/driver_facts.h"
#include "model/answers/machine_report.h"

namespace wperf::doctor {

// `works`: the driver could be opened. Then obstacles to loading it are not reported.
std::vector<answers::Check> windows_checks(const os::WindowsFacts& windows, const windows::DriverFacts& driver,
                                           bool works);

}  // namespace wperf::doctor
