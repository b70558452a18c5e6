// SPDX-License-Identifier: BSD-3-Clause
// The meaning of a Linux machine's facts for measuring, and the remedy. Pure.
#pragma once
#include <vector>

#include "machine/linux_kernel/linux_facts.h"
#include "model/answers/machine_report.h"

namespace wperf::doctor {

std::vector<answers::Check> linux_checks(const linux_kernel::LinuxFacts& facts);

}  // namespace wperf::doctor
