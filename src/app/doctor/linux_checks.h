// SPDX-License-Identifier: BSD-3-Clause
// What the facts of a Linux machine mean for measuring, and the way out. Pure; called by run_doctor.
#pragma once
#include <vector>

#include "machine/linux_kernel/linux_facts.h"
#include "model/answers/machine_report.h"

namespace wperf::doctor {

std::vector<answers::Check> linux_checks(const linux_kernel::LinuxFacts& facts);

}  // namespace wperf::doctor
