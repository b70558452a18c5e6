// SPDX-License-Identifier: BSD-3-Clause
// What a recording says, as the options ask for it. Called by every command that shows recordings.
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

// Who gets an exported profile instead of a file: `push`. None: it goes where -o says.
using ExportSink = std::function<diag::Result<void>(stacks::StackProfile&, const stacks::Moments&)>;

// Request::data_file in the views that the options ask for.
diag::Result<void> report_file(const request::Request& asked, diag::Console& console, const ExportSink& sink);
// The answers to a list of samples: WindowsPerf's for Windows programs, where no other view is asked for. Called by
// `record`, too, for what it has just recorded.
diag::Result<void> report_recording(const perf_data::PerfFile& file, const request::Request& request,
                                    diag::Console& console, const ExportSink& sink = {});

// The same views of samples that count for something else than they were recorded with.
struct WeightedSamples {
  std::string_view event;               // what they are now; empty: what they were
  std::string_view things;              // "waits"; empty: samples
  std::string whole;                    // what all of them together are
  const std::vector<u64>& weights;      // see WantedDetail::weights
  std::optional<u64> time_origin = {};  // where --time begins to count; none: the first sample
  std::vector<u64> parallel_ns = {};    // see StackEvent
};
diag::Result<void> report_weighted(const perf_data::PerfFile& file, const WeightedSamples& weighted,
                                   const request::Request& request, diag::Console& console);
// The views of samples that were counted, named, and perhaps changed. `waits`: what a page of them says beside.
diag::Result<void> report_profile(const perf_data::PerfFile& file, recording::RecordedSamples recorded,
                                  const request::Request& request, diag::Console& console,
                                  const html::WaitsOfPage* waits = nullptr);
// The same of a profile that no recording belongs to any more: tables, trees, folded stacks and JSON. `about`: what is
// known of its run; null: nothing. `clients_json`: the document that WindowsPerf's clients read, whose members go into
// ours; empty: there is none.
diag::Result<void> show_profile(const stacks::StackProfile& profile, const stacks::Moments& moments,
                                const stacks::RecordingAbout* about, const request::Request& request,
                                diag::Console& console, const ExportSink& sink = {},
                                std::string_view clients_json = {});
// Counted and named, with the servers and kept functions that the options allow, and progress.
diag::Result<recording::RecordedSamples> read_named_samples(const perf_data::PerfFile& file,
                                                            const request::Request& request,
                                                            recording::WantedDetail wanted, diag::Console& console);

// Which samples count: --comm, --module, --pid, --tid and --symbol.
stacks::StackFilter sample_filter(const request::Request& request);

// Tells a person at the terminal.
modules::DownloadProgress download_progress(diag::Console& console);

// What the options of the command line say about WindowsPerf's reports.
report::SampleOptions sample_report_options(const request::Request& request, const diag::Console& console);

}  // namespace wperf::commands
