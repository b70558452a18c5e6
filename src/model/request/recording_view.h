// SPDX-License-Identifier: BSD-3-Clause
// The options that select samples of a recording, and how they are shown.
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/ints.h"
#include "ground/diag/result.h"

namespace wperf::request {

// Options that only `report` takes, for recordings that are lists of samples. core_kind: "cputype".
enum class SortBy { comm, pid, tid, core, core_kind, module, symbol, line };
struct TimeSpan {
  std::optional<double> from, to;  // seconds after the first sample
};
inline constexpr u64 kPageSliceNs = 20'000'000;  // the resolution in time of an HTML page
// --export: formats of a profile that other tools read.
enum class ExportFormat : u8 {
  pprof,
  firefox,
  speedscope,
  folded,
  chrome,
  perfetto,
  perfetto_perf,  // with samples in the form of its older versions
  callgrind,
  otlp,
  csv,
  sql,
  perf_data,
  prometheus,  // for counts only
};

// The wanted range of thread numbers.
struct ThreadNumbers {
  u32 from = 1, to = 1;
};

struct RecordingView {
  std::vector<SortBy> sort;  // the columns, which also define the rows; empty means comm, module, symbol
  std::vector<std::string> comms, modules;
  std::vector<u32> pids, tids;
  std::optional<TimeSpan> time;
  bool children = false;            // called functions also count for the caller
  bool idle = false;                // for a trace: also samples of idle cores
  std::vector<u32> trace_cores;     // for a trace: only samples of these cores; empty for all
  bool providers = false;           // for a trace: events by provider
  bool spans = false;               // for a trace: the spans that programs marked with starts and stops
  std::optional<std::string> span;  // for a trace: only the threads' time in spans of this name
  bool relative = false;            // percentages of the samples that pass the filters
  bool tree = false, callers = false, callees = false;
  bool folded = false;
  bool branches = false;                     // which code branched where, instead of samples
  bool latency = false;                      // samples are weighted by elapsed time
  std::optional<ThreadNumbers> parallelism;  // only samples taken while so many threads ran
  bool debuginfod = false;                   // servers may be asked for files
  std::optional<double> percent_limit;       // call trees leave out smaller shares; nullopt for the default of a view
  std::optional<std::string> html_file, svg_file;  // HTML pages to write
  bool html_all = false;                           // with the time of each sample
  std::optional<ExportFormat> export_format;
  bool inlined = false;  // functions that the compiler inlined are separate frames
  bool needs_switches() const { return latency || parallelism.has_value(); }
  bool wants_page() const { return html_file.has_value() || svg_file.has_value(); }
};

// Values of options of `report` and `waits`: --sort, lists of names and numbers, --time, --min. "comm,pid,symbol"; each
// once.
diag::Result<std::vector<SortBy>> parse_sort_list(std::string_view text);
// "a,b"; no empty ones.
std::vector<std::string> parse_name_list(std::string_view text);
// "1,22,333"; `option` names it in errors.
diag::Result<std::vector<u32>> parse_number_list(std::string_view text, std::string_view option);
// "1.5-3", "1.5-", "-3": seconds after the first sample.
diag::Result<TimeSpan> parse_time_span(std::string_view text);

// --parallelism: "2", "2-4"; from 1 on.
diag::Result<ThreadNumbers> parse_thread_numbers(std::string_view text);

// --percent-limit: 0 to 100, with a fraction or without.
diag::Result<double> parse_percent(std::string_view text, std::string_view spelling);

// --min: "1ms", "0.5", "200us", "2s" → nanoseconds.
diag::Result<u64> parse_length(std::string_view text, std::string_view spelling);

// The names of --export.
diag::Result<ExportFormat> parse_export_format(std::string_view name);
// Bytes that a terminal cannot show.
bool is_binary(ExportFormat format);
std::string_view export_name(ExportFormat format);
inline constexpr std::string_view kExportNames =
    "pprof firefox speedscope folded chrome perfetto callgrind otlp csv sql perf.data prometheus";

}  // namespace wperf::request
