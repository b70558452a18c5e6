// SPDX-License-Identifier: BSD-3-Clause
#include "pipeline/run_spe.h"

#include "pipeline/kernel_spe.h"
#include "pipeline/machine.h"
#include "pipeline/measure_spe.h"
#include "pipeline/outputs.h"
#include "pipeline/run_sample.h"
#include "report/spe_report.h"
#include "request/sample_target.h"

namespace wperf::pipeline {

namespace {

void show(const request::Request& request, const profile::SpeProfile& profile, const profile::CountProfile* counting,
          diag::Console& console) {
  const report::SpeOptions options{.samples = sample_report_options(request, console),
                                   .memory = request.sampling.display.memory};
  if (!silent(request.outputs)) console.out(report::spe_text(profile, counting, options));
  if (wants_json(request.outputs)) {
    deliver_json(request.outputs, report::spe_json(profile, counting, options), console);
  }
}

}  // namespace

diag::Result<void> run_spe(const request::Request& request, diag::Console& console) {
  if (request.outputs.verbose) console.out(request::deduced_text(request));
  WPERF_TRY(Machine machine, open_machine(request, console));
  if (machine.capabilities.kernel != nullptr) {
    WPERF_TRY(const KernelSpe measured, measure_kernel_spe(request, machine, console));
    show(request, measured.profile, nullptr, console);
    if (measured.trouble.has_value()) return *measured.trouble;
    return {};
  }
  WPERF_TRY(const MeasuredSpe measured, measure_spe(request, machine, console));
  show(request, measured.profile, measured.counting.has_value() ? &*measured.counting : nullptr, console);
  if (measured.trouble.has_value()) return *measured.trouble;
  return {};
}

}  // namespace wperf::pipeline
