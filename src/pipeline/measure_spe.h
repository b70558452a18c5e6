// SPDX-License-Identifier: BSD-3-Clause
// `sample` and `record` with -e arm_spe_0/…/ up to their profile: plan, program, profiling and counting side by side,
// decoding as the bytes come, names. Called by run_spe.
#pragma once
#include <optional>

#include "diag/console.h"
#include "diag/result.h"
#include "pipeline/machine.h"
#include "profile/count_profile.h"
#include "profile/spe_profile.h"
#include "request/request.h"

namespace wperf::pipeline {

struct MeasuredSpe {
  profile::SpeProfile profile;
  std::optional<profile::CountProfile> counting;  // cycles and what was chosen, filtered, lost; none: no free counter
  std::optional<diag::Error> trouble;             // the program crashed: what was sampled is still good
};
// Also writes the files of the run: the bytes as they came (contract 9.9), and the records of --records.
diag::Result<MeasuredSpe> measure_spe(const request::Request& request, Machine& machine, diag::Console& console);

}  // namespace wperf::pipeline
