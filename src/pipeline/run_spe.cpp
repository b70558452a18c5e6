// SPDX-License-Identifier: BSD-3-Clause
#include "pipeline/run_spe.h"

#include "pipeline/machine.h"
#include "pipeline/measure_spe.h"
#include "pipeline/outputs.h"
#include "pipeline/run_sample.h"
#include "report/spe_report.h"
#include "request/sample_target.h"

namespace wperf::pipeline {

diag::Result<void> run_spe(const request::Request& request, diag::Console& console) {
  if (request.outputs.verbose) console.out(request::deduced_text(request));
  WPERF_TRY(Machine machine, open_machine(request, console));
  WPERF_TRY(const MeasuredSpe measured, measure_spe(request, machine, console));
  const report::SpeOptions options{.samples = sample_report_options(request, console),
                                   .memory = request.sampling.display.memory};
  const profile::CountProfile* counting = measured.counting.has_value() ? &*measured.counting : nullptr;
  if (!silent(request.outputs)) console.out(report::spe_text(measured.profile, counting, options));
  if (wants_json(request.outputs)) {
    deliver_json(request.outputs, report::spe_json(measured.profile, counting, options), console);
  }
  if (measured.trouble.has_value()) return *measured.trouble;
  return {};
}

}  // namespace wperf::pipeline
