// SPDX-License-Identifier: BSD-3-Clause
#include "commands/run_spe.h"

#include "commands/kernel_spe.h"
#include "commands/run_report.h"
#include "output/outputs.h"
#include "report/spe_report.h"

namespace wperf::commands {

diag::Result<int> run_spe(const request::Request& request, measure::Machine& machine, diag::Console& console) {
  if (request.sampling.perf_data) {
    return diag::Error{.text = "what the kernel records with SPE is not written to perf.data",
                       .hint = "--records FILE writes the records one by one, as JSON or CSV",
                       .code = diag::ExitCode::usage};
  }
  WPERF_TRY(const KernelSpe measured, measure_kernel_spe(request, machine, console));
  const report::SpeOptions options{.samples = sample_report_options(request, console),
                                   .memory = request.sampling.display.memory,
                                   .width = console.animated() ? console.width() : 0};
  if (!output::silent(request.outputs)) console.out(report::spe_text(measured.profile, nullptr, options));
  if (output::wants_spe_json(request)) {
    WPERF_CHECK_OK(
        output::deliver_json(request.outputs, report::spe_json(measured.profile, nullptr, options), console));
  }
  if (measured.trouble.has_value()) return *measured.trouble;
  return measured.status;
}

}  // namespace wperf::commands
