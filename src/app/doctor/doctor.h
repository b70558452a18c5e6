// SPDX-License-Identifier: BSD-3-Clause
// `wperf doctor`: tests what can be measured on this machine, and finds out why other things cannot be measured.
#pragma once
#include <vector>

#include "ground/diag/console.h"
#include "ground/diag/result.h"
#include "ground/os/machine_facts.h"
#include "machine/linux_kernel/linux_device.h"
#include "machine/windows/driver_facts.h"
#include "model/answers/tool_answers.h"
#include "model/request/request.h"

namespace wperf::doctor {

diag::Result<void> run_doctor(const request::Request& request, diag::Console& console);

// The checks for Linux and Windows, made from facts. Pure.
std::vector<answers::Check> linux_checks(const linux_kernel::LinuxFacts& facts);
// `works`: the driver could be opened. Then possible reasons why it does not load are not reported.
std::vector<answers::Check> windows_checks(const os::WindowsFacts& windows, const windows::DriverFacts& driver,
                                           bool works);

}  // namespace wperf::doctor
