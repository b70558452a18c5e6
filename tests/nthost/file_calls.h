// SPDX-License-Identifier: BSD-3-Clause
// The interface between file_calls.cpp (open handles and their requests) and driver_under_test.cpp (load, unload).
#pragma once
#include "base/ints.h"

namespace wperf::nthost {

u32 open_files();         // opened and not yet closed
bool is_going();          // new opens are refused
void last_file_closed();  // a pending unload or removal happens now

}  // namespace wperf::nthost
