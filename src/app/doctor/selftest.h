// SPDX-License-Identifier: BSD-3-Clause
// `wperf doctor --selftest`: each device on this machine measures a program with known counts, shares and stacks.
#pragma once
#include "ground/diag/console.h"
#include "model/answers/tool_answers.h"
#include "model/request/request.h"

namespace wperf::doctor {

answers::Selftest run_selftest(const request::Request& request, diag::Console& console);
bool has_failed(const answers::Selftest& test);

}  // namespace wperf::doctor
