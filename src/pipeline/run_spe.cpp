// SPDX-License-Identifier: BSD-3-Clause
#include "pipeline/run_spe.h"

#include "pipeline/kernel_spe.h"
#include "pipeline/machine.h"
#include "pipeline/measure_spe.h"
#include "pipeline/outputs.h"
#include "pipeline/run_report.h"
#include "report/spe_report.h"
#include "request/sample_target.h"

namespace wperf::pipeline {

namespace {

diag::Result<void> show(const request::Request& request, const profile::SpeProfile& profile,
                        const profile::CountProfile* counting, diag::Console& console) {
  const report::SpeOptions options{.samples = sample_report_options(request, console),
                                   .memory = request.sampling.display.memory,
                                   .width = console.animated() ? console.width() : 0};
  if (!silent(request.outputs)) console.out(report::spe_text(profile, counting, options));
  if (wants_spe_json(request)) {
    WPERF_CHECK_OK(deliver_json(request.outputs, report::spe_json(profile, counting, options), console));
  }
  return {};
}

}  // namespace

diag::Result<int> run_spe(const request::Request& request, diag::Console& console) {
  if (request.outputs.verbose) console.out(request::deduced_text(request));
  WPERF_TRY(Machine machine, open_machine(request, console, device::Device::Spe::asked_for));
  if (machine.capabilities.kernel != nullptr) {
    WPERF_TRY(const KernelSpe measured, measure_kernel_spe(request, machine, console));
    WPERF_CHECK_OK(show(request, measured.profile, nullptr, console));
    if (measured.trouble.has_value()) return *measured.trouble;
    return measured.status;
  }
  WPERF_TRY(const MeasuredSpe measured, measure_spe(request, machine, console));
  const profile::CountProfile* counting = measured.counting.has_value() ? &*measured.counting : nullptr;
  WPERF_CHECK_OK(show(request, measured.profile, counting, console));
  if (measured.trouble.has_value()) return *measured.trouble;
  return 0;
}

}  // namespace wperf::pipeline
