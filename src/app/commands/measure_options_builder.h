// SPDX-License-Identifier: BSD-3-Clause
// The options of a measurement, from the request.
#pragma once
#include "app/measure/measure_options.h"
#include "model/request/request.h"

namespace wperf::commands {

measure::MeasureOptions measure_options(const request::Request& request);

}  // namespace wperf::commands
