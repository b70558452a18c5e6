// SPDX-License-Identifier: BSD-3-Clause
// wperf-devgen from argv to exit status.
#pragma once

namespace wperf::devgen {

int run_program();

}  // namespace wperf::devgen
