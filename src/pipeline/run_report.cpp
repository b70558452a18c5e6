// SPDX-License-Identifier: BSD-3-Clause
#include "pipeline/run_report.h"

#include <fmt/format.h>

#include "os/mapped_file.h"
#include "pipeline/outputs.h"
#include "pipeline/recorded_spe.h"
#include "pipeline/run_sample.h"
#include "report/spe_report.h"

namespace wperf::pipeline {
namespace {

// What the file lacks, or what in it made no sense.
void tell_damage(const perf_data::PerfFile& file, const perf_data::AuxTraces& traces, diag::Console& console) {
  if (file.is_cut()) console.warn("warning: the file is shorter than it says: what is there is shown");
  if (file.is_unfinished()) console.warn("warning: the recording was not finished: what is there is shown");
  if (const u64 missing = traces.missing(); missing != 0) {
    console.warn(fmt::format("warning: {} bytes of SPE data that the file names are not in it", missing));
  }
}

}  // namespace

diag::Result<void> run_report(const request::Request& request, diag::Console& console) {
  if (!request.data_file.has_value()) {
    return diag::Error{.text = "report needs the name of a perf.data file",
                       .hint = "wperf report perf.data",
                       .code = diag::ExitCode::usage};
  }
  WPERF_TRY(const os::MappedFile mapped, os::MappedFile::open(*request.data_file));
  auto opened = perf_data::PerfFile::open(mapped.bytes());
  if (!opened.has_value()) {
    diag::Error error = std::move(opened).error();
    error.text = *request.data_file + ": " + error.text;
    return error;
  }
  const perf_data::PerfFile& file = opened.value();
  const auto traces = perf_data::AuxTraces::collect(file);
  if (!has_spe_data(traces)) {
    return diag::Error{.text = *request.data_file + " holds no SPE data",
                       .hint = "`perf record -e arm_spe_0//` makes such a file on Arm Linux"};
  }
  tell_damage(file, traces, console);
  WPERF_TRY(const profile::SpeProfile profile, read_recorded_spe(file, traces, request));
  const report::SpeOptions options{.samples = sample_report_options(request, console),
                                   .memory = request.sampling.display.memory};
  if (!silent(request.outputs)) console.out(report::spe_text(profile, nullptr, options));
  if (wants_json(request.outputs)) deliver_json(request.outputs, report::spe_json(profile, nullptr, options), console);
  return {};
}

}  // namespace wperf::pipeline
