// SPDX-License-Identifier: BSD-3-Clause
// The options of a measurement, from the request.
#pragma once
#include <string>

#include "app/measure/measure_options.h"
#include "model/request/request.h"

namespace wperf::commands {

measure::MeasureOptions measure_options(const request::Request& request);

// The file that the user wants to keep; empty: none.
std::string kept_recording(const request::Request& request);
// -o FILE.data and FILE.etl keep the recording; any other FILE gets the JSON.
request::Request with_kept_file(request::Request request);

}  // namespace wperf::commands
