// SPDX-License-Identifier: BSD-3-Clause
// The path of a program on its way to a machine that stays on.
#pragma once
#include "machine/wperf_driver/sim_machine.h"

namespace wperf::live {

// Makes the image's path absolute, because the machine runs in another folder. If the command line begins with that
// path, it gets the absolute one, too, in which the machine recognizes the program. A name without a folder stays a
// name.
void make_absolute(wperf_driver::SimulatedProgram& program);

}  // namespace wperf::live
