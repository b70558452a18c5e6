// SPDX-License-Identifier: BSD-3-Clause
// The options of a report, made once from the request (commands/options_builder.h).
#pragma once
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/recording/recorded_samples.h"
#include "analysis/waits/latency_weights.h"
#include "ground/diag/result.h"
#include "model/request/output_options.h"
#include "model/request/push_request.h"
#include "model/request/recording_view.h"
#include "model/request/sampling_options.h"
#include "model/stacks/moments.h"
#include "model/stacks/stack_profile.h"
#include "views/brief/brief.h"
#include "views/report/sample_report.h"
#include "views/report/stack_report.h"

namespace wperf::show {

// Receives an exported profile instead of a file: `push`.
using ExportSink = std::function<diag::Result<void>(stacks::StackProfile&, const stacks::Moments&)>;

struct ExportOptions {
  request::ExportFormat format;
  std::vector<request::PushLabel> labels = {};
  ExportSink sink = {};  // empty: the profile goes where -o says
};

// --html and --svg.
struct PageOptions {
  std::optional<std::string> html_file, svg_file;
  bool all_samples = false;  // with the time of each sample
  bool wanted() const { return html_file.has_value() || svg_file.has_value(); }
};

// Where names come from, beyond ReadOptions::symbols.
struct NamingOptions {
  bool debuginfod = false;  // servers may be asked for files
  bool verbose = false;
};

// Options that only traces of Windows know.
struct TraceOptions {
  bool idle = false;
  std::vector<u32> cores = {};  // empty: all
  bool providers = false, spans = false;
  std::optional<std::string> span = {};
};

struct ReportOptions {
  std::string file;                              // its name; empty: a temporary file
  bool is_kept = true;                           // false: the name is temporary
  request::Outputs outputs = {};                 // where results go
  recording::ReadOptions read = {};              // for tables and pages
  request::SampleDisplay display = {};           // for WindowsPerf's views and code
  report::StackOptions tables = {};              // with the filters
  report::SampleOptions samples = {};            // for WindowsPerf's views
  bool wants_views = false;                      // views that WindowsPerf's text and JSON do not have
  bool folded = false;                           // folded stacks instead of tables
  bool branches = false;                         // branches instead of samples
  PageOptions pages = {};                        // instead of tables
  std::optional<ExportOptions> exported = {};    // instead of all views
  std::optional<std::string> records_file = {};  // --records: a line for each sample; "-": the console
  waits::LatencyOptions parallel = {};           // --latency and --parallelism
  std::optional<brief::Commands> brief = {};     // --brief instead of tables: the commands it names
  NamingOptions naming = {};                     // where names come from
  TraceOptions trace = {};                       // for traces of Windows
  std::string_view refused_of_profile = {};      // the first option that no profile of another program can answer

  bool needs_switches() const { return parallel.by_time || parallel.running.has_value(); }
  // Do the records of --records go to stdout?
  bool prints_records() const;
  // Is JSON of a report on SPE wanted? Where --records prints the records, --json is about those.
  bool wants_spe_json() const;
};

}  // namespace wperf::show
