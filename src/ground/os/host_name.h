// SPDX-License-Identifier: BSD-3-Clause
// The name of this machine, in UTF-8; empty if the system does not say.
#pragma once
#include <string>

namespace wperf::os {

std::string host_name();

}  // namespace wperf::os
