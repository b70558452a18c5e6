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

// Receives an exported profile, for `push`, which writes no file.
using ExportSink = std::function<diag::Result<void>(stacks::StackProfile&, const stacks::Moments&)>;

struct ExportOptions {
  request::ExportFormat format;
  std::vector<request::PushLabel> labels = {};
  ExportSink sink = {};  // empty: writes to the destination of -o
};

// --html and --svg.
struct PageOptions {
  std::optional<std::string> html_file, svg_file;
  bool all_samples = false;  // includes the time of each sample
  bool wanted() const { return html_file.has_value() || svg_file.has_value(); }
};

// Options about the sources of names, in addition to ReadOptions::symbols.
struct NamingOptions {
  bool debuginfod = false;  // files may be requested from debuginfod servers
  bool verbose = false;
};

// Options that only apply to Windows traces.
struct TraceOptions {
  bool idle = false;
  std::vector<u32> cores = {};  // empty: all cores
  bool providers = false, spans = false;
  std::optional<std::string> span = {};
};

struct ReportOptions {
  std::string file;                     // name of the file; empty: a temporary file
  bool is_kept = true;                  // false: the name is temporary
  request::Outputs outputs = {};        // where results are written
  recording::ReadOptions read = {};     // for tables and pages
  request::SampleDisplay display = {};  // for WindowsPerf's views and code
  report::StackOptions tables = {};     // includes the filters, and the number of rows of all views
  // with --annotate on a terminal: show source text next to the line number
  bool shows_sources = false;
  bool wants_views = false;                      // requests views that WindowsPerf's text and JSON do not have
  bool folded = false;                           // folded stacks instead of tables
  bool branches = false;                         // branches instead of samples
  PageOptions pages = {};                        // instead of tables
  std::optional<ExportOptions> exported = {};    // instead of all views
  std::optional<std::string> records_file = {};  // --records: a line for each sample; "-": to the console
  waits::LatencyOptions parallel = {};           // --latency and --parallelism
  std::optional<brief::Commands> brief = {};     // --brief instead of tables: the commands to print as next steps
  NamingOptions naming = {};                     // where names come from
  TraceOptions trace = {};                       // for traces of Windows
  std::string_view refused_of_profile = {};      // the first option that does not apply to profiles of other programs

  bool needs_switches() const { return parallel.by_time || parallel.running.has_value(); }
  // For WindowsPerf's views.
  report::SampleOptions samples() const;
  // Are the records of --records written to stdout?
  bool prints_records() const;
  // Is JSON of a report on SPE requested? If --records prints the records, --json applies to the records.
  bool wants_spe_json() const;
};

}  // namespace wperf::show
