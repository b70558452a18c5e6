// SPDX-License-Identifier: BSD-3-Clause
// A machine with wperf's driver that is searched for Python interpreters.
#pragma once
#include <memory>
#include <string_view>
#include <vector>

#include "analysis/recording/python_host.h"
#include "machine/device/driver_machine.h"
#include "model/readings/samples.h"

namespace wperf::measure {

inline constexpr std::string_view kNoPython = "--python found no CPython 3.13 or newer";

std::unique_ptr<recording::PythonHost> make_python_host(device::Programs& programs);

// Empty if the process is unknown.
std::vector<readings::Module> modules_of_program(device::Programs& programs, u32 pid);

}  // namespace wperf::measure
