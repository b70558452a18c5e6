// SPDX-License-Identifier: BSD-3-Clause
// The JSON of `--mem`.
#pragma once
#include "analysis/operations/spe_profile.h"
#include "ground/text/json_writer.h"
#include "views/report/spe_report.h"

namespace wperf::report {

// The value of "memory".
void write_memory(text::JsonWriter& json, const operations::SpeProfile& profile, const SpeOptions& options);

}  // namespace wperf::report
