// SPDX-License-Identifier: BSD-3-Clause
// The options that select samples of a recording and decide how they are shown.
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/ints.h"
#include "ground/diag/result.h"

namespace wperf::request {

// Options that only `report` takes, for recordings of samples. core_kind is spelled "cputype".
enum class SortBy { comm, pid, tid, core, core_kind, module, symbol, line };
struct TimeSpan {
  std::optional<double> from, to;  // seconds after the beginning of the recording
};
inline constexpr u64 kPageSliceNs = 20'000'000;  // the time resolution of an HTML page
// --export: profile formats that other tools read.
enum class ExportFormat : u8 {
  pprof,
  firefox,
  speedscope,
  folded,
  chrome,
  perfetto,
  perfetto_perf,  // with samples in the form of older versions of Perfetto
  callgrind,
  otlp,
  csv,
  sql,
  perf_data,
  prometheus,  // for counts only
};

// The requested range of thread counts.
struct ThreadNumbers {
  u32 from = 1, to = 1;
};

struct RecordingView {
  std::vector<SortBy> sort;  // the columns; samples that agree in all of them share a row; empty: comm, module, symbol
  std::vector<std::string> comms;  // as they were typed; names may have commas
  std::vector<std::string> modules;
  std::vector<u32> pids, tids;
  std::optional<TimeSpan> time;
  bool children = false;            // the time of called functions also counts for the caller
  bool idle = false;                // for a trace: includes samples of idle cores
  std::vector<u32> trace_cores;     // for a trace: only samples of these cores; empty: all cores
  bool providers = false;           // for a trace: shows the events of each provider
  bool spans = false;               // for a trace: shows the spans that programs marked by start and stop events
  std::optional<std::string> span;  // for a trace: only the threads' time inside spans of this name
  bool relative = false;            // percentages refer to the samples that pass the filters
  bool tree = false, callers = false, callees = false;
  bool folded = false;
  bool branches = false;                           // shows which code branched where, instead of samples
  bool latency = false;                            // weights samples by elapsed time
  std::optional<ThreadNumbers> parallelism;        // only samples taken while this many threads ran
  bool debuginfod = false;                         // files may be requested from debuginfod servers
  std::optional<double> percent_limit;             // call trees leave out smaller shares; nullopt: the view's default
  std::optional<std::string> html_file, svg_file;  // files to write HTML pages to
  bool html_all = false;                           // the page includes the time of each sample
  std::optional<ExportFormat> export_format;
  bool inlined = false;       // shows functions that the compiler inlined as separate frames
  bool python_lines = false;  // shows each line of a Python function as a separate frame
  bool needs_switches() const { return latency || parallelism.has_value(); }
  bool wants_page() const { return html_file.has_value() || svg_file.has_value(); }
};

// Parsers for the option values of `report` and `waits`. This one parses --sort: "comm,pid,symbol", each key once.
diag::Result<std::vector<SortBy>> parse_sort_list(std::string_view text);
// "a,b"; empty names are dropped.
std::vector<std::string> parse_name_list(std::string_view text);
// "1,22,333"; `option` is named in errors.
diag::Result<std::vector<u32>> parse_number_list(std::string_view text, std::string_view option);
// "1.5-3", "1.5-", "-3": seconds after the first sample.
diag::Result<TimeSpan> parse_time_span(std::string_view text);

// --parallelism: "2" or "2-4", from 1 on.
diag::Result<ThreadNumbers> parse_thread_numbers(std::string_view text);

// --percent-limit: a number from 0 to 100, which may have a fraction.
diag::Result<double> parse_percent(std::string_view text, std::string_view spelling);

// --min: "1ms", "0.5", "200us", "2s" → nanoseconds.
diag::Result<u64> parse_length(std::string_view text, std::string_view spelling);

// Parses the value of --export. `of_counts`: the error's hint lists the formats for counts (`stat`) instead of the
// formats for recordings.
diag::Result<ExportFormat> parse_export_format(std::string_view name, bool of_counts = false);
// Does the format have bytes that a terminal cannot show?
bool is_binary(ExportFormat format);
std::string_view export_name(ExportFormat format);
inline constexpr std::string_view kExportNames =  // by value of ExportFormat; the last one is for counts
    "pprof firefox speedscope folded chrome perfetto perfetto-perf callgrind otlp csv sql perf.data prometheus";

}  // namespace wperf::request
