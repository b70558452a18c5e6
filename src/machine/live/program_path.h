// SPDX-License-Identifier: BSD-3-Clause
// The path of a program on its way to a machine that stays on.
#pragma once
#include "machine/wperf_driver/sim_machine.h"

namespace wperf::live {

// Makes the image's path absolute, because the machine runs in another folder. If the command line begins with that
// path, the path is replaced there, too, because the machine recognizes the program by it. A name without a folder is
// not changed.
void make_absolute(wperf_driver::SimulatedProgram& program);

}  // namespace wperf::live
