// SPDX-License-Identifier: BSD-3-Clause
// What `wperf doctor` says of Windows, its rules for drivers and how wperf-driver is installed: facts in, checks out.
// Called by run_doctor.
#pragma once
#include <vector>

#include "ground/os/windows_facts.h"
#include "machine/windows/driver_facts.h"
#include "model/answers/machine_report.h"

namespace wperf::doctor {

// `works`: the driver could be opened. Then nothing that only stands in the way of loading it is complained about.
std::vector<answers::Check> windows_checks(const os::WindowsFacts& windows, const windows::DriverFacts& driver,
                                           bool works);

}  // namespace wperf::doctor
