// SPDX-License-Identifier: BSD-3-Clause
// The contents of a recording, as the options ask for it.
#pragma once
#include <functional>
#include <string_view>
#include <vector>

#include "analysis/recording/recorded_samples.h"
#include "formats/perf_data/perf_file.h"
#include "ground/diag/console.h"
#include "ground/diag/result.h"
#include "model/request/request.h"
#include "model/stacks/stack_rows.h"
#include "views/html/html_report.h"
#include "views/report/sample_report.h"

namespace wperf::commands {

// Receives an exported profile instead of a file: `push`. Without one the profile goes where -o says.
using ExportSink = std::function<diag::Result<void>(stacks::StackProfile&, const stacks::Moments&)>;

// Request::data_file in the views that the options ask for.
diag::Result<void> report_file(const request::Request& asked, diag::Console& console, const ExportSink& sink);
// The answers to a list of samples: WindowsPerf's for Windows programs, unless another view is asked for.
diag::Result<void> report_recording(const perf_data::PerfFile& file, const request::Request& request,
                                    diag::Console& console, const ExportSink& sink = {});

// The same views of samples whose weights were changed after recording.
struct WeightedSamples {
  std::string_view event;               // their new meaning; empty: unchanged
  std::string_view things;              // "waits"; empty: samples
  std::string whole;                    // the sum of all of them
  const std::vector<u64>& weights;      // see recording::ReadOptions
  std::optional<u64> time_origin = {};  // where --time begins to count; nullopt: the first sample
  std::vector<u64> parallel_ns = {};    // see StackEvent
};
diag::Result<void> report_weighted(const perf_data::PerfFile& file, const WeightedSamples& weighted,
                                   const request::Request& request, diag::Console& console);
// The views of samples that were counted, named, and perhaps changed. `waits`: additional content of a page.
diag::Result<void> report_profile(const perf_data::PerfFile& file, recording::RecordedSamples recorded,
                                  const request::Request& request, diag::Console& console,
                                  const html::WaitsOfPage* waits = nullptr);
// The same for a profile without a recording: tables, trees, folded stacks and JSON. `about`: the facts about its run;
// may be null. `clients_json`: the value of "sampling" that WindowsPerf's clients read in this document, too; may be
// empty.
diag::Result<void> show_profile(const stacks::StackProfile& profile, const stacks::Moments& moments,
                                const stacks::RecordingAbout* about, const request::Request& request,
                                diag::Console& console, const ExportSink& sink = {},
                                std::string_view clients_json = {});
// Which samples count: --comm, --module, --pid, --tid and --symbol.
stacks::StackFilter sample_filter(const request::Request& request);

// The options of the command line for WindowsPerf's reports.
report::SampleOptions sample_report_options(const request::Request& request, const diag::Console& console);

}  // namespace wperf::commands
