// SPDX-License-Identifier: BSD-3-Clause
// How this machine is called, in UTF-8; empty: the system does not say. Called by run_stat.
#pragma once
#include <string>

namespace wperf::os {

std::string host_name();

}  // namespace wperf::os
