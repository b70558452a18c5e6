// SPDX-License-Identifier: BSD-3-Clause
#include "app/commands/commands.h"
#include "app/commands/destinations.h"
#include "app/commands/options_builder.h"
#include "app/commands/recording_push.h"
#include "app/measure/opened_machine.h"
#include "app/measure/recording_run.h"
#include "app/measure/spe_recording.h"
#include "app/output/outputs.h"
#include "app/show/recording_views.h"
#include "app/show/sample_views.h"
#include "ground/os/process.h"
#include "machine/plan/sample_plan.h"
#include "model/request/measurement.h"

namespace wperf::commands {
namespace {

// A temporary recording will be gone when the page is viewed, so the page includes the code.
request::Request with_code_of_page(request::Request request) {
  if (!request.recording.html_file.has_value()) return request;
  request.sampling.display.annotate = request.sampling.display.disassemble = true;
  return request;
}

diag::Result<measure::Recording> make_recording(const request::Request& request, measure::OpenedMachine& machine,
                                                diag::Console& console) {
  if (!request.sampling.spe.has_value()) return measure::record_samples(measure_options(request), machine, console);
  return measure::record_spe(measure_options(request), machine, console);
}

// The recording is shown even if an error occurred; the error follows.
diag::Result<int> record(const request::Request& request, measure::OpenedMachine& machine, diag::Console& console) {
  WPERF_TRY(const measure::Recording recording, make_recording(request, machine, console));
  const request::Request shown = shown_request(request, recording);
  WPERF_CHECK_OK(output::check_inputs_stay(files_of(shown)));
  os::release_interrupt();
  auto reported = show::show_recording(recording, report_options(shown, console), console);
  if (!recording.trace.empty() || machine.capabilities.kernel != nullptr) {
    if (reported.has_value()) print_json_file(request, console);
    print_kept_recording(request, recording, console);
  }
  WPERF_CHECK_OK(std::move(reported));
  return measure::status_of_recording(request, machine, recording, console);
}

// Prints a profile that the user redirects to a file: `wperf record --print-wprp … > x.wprp`.
diag::Result<int> print_profile(const request::Request& request, measure::OpenedMachine& machine,
                                diag::Console& console) {
  WPERF_TRY(const plan::SamplePlan plan,
            plan::make_sample_plan(request, request.recording, machine.capabilities, machine.catalog));
  WPERF_TRY(const std::string profile, machine.device->recording_profile(plan));
  console.document(profile);
  return 0;
}

}  // namespace

diag::Result<int> run_sample(const request::Request& request, diag::Console& console) {
  const bool spe = request.sampling.spe.has_value();
  if (request.sampling.display.memory && !spe) {
    return diag::usage_error("--mem needs SPE records",
                             show::hint_of_memory("sample with -e arm_spe_0// on an Arm core that has SPE"));
  }
  if (!request.push.url.has_value() && !request.push.labels.empty()) {
    return diag::usage_error("--label needs --push", "send profiles with --push URL");
  }
  if (request.outputs.verbose) console.out(request::deduced_text(request));
  WPERF_TRY(
      measure::OpenedMachine machine,
      measure::open_machine(request, console, spe ? device::Device::Spe::asked_for : device::Device::Spe::left_alone));
  if (request.sampling.print_wprp) return print_profile(request, machine, console);
  if (request.push.url.has_value()) return record_and_push(with_kept_file(request), machine, console);
  return record(with_code_of_page(with_kept_file(request)), machine, console);
}

}  // namespace wperf::commands
