// SPDX-License-Identifier: BSD-3-Clause
#include "app/commands/foreign_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

namespace wperf::commands {
namespace {

// The first requested option that no profile of samples can answer; empty if there is none.
std::string_view unanswered(const request::Request& request) {
  const request::SampleDisplay& display = request.sampling.display;
  if (display.disassemble) return "--disassemble";
  if (display.annotate) return "--annotate";
  if (display.memory) return "--mem";
  if (request.sampling.records_file.has_value()) return "--records";
  if (request.recording.providers) return "--providers";
  if (request.recording.latency) return "--latency";
  if (request.recording.parallelism.has_value()) return "--parallelism";
  if (request.recording.spans) return "--spans";
  if (request.recording.span.has_value()) return "--span";
  if (request.recording.idle) return "--idle";
  if (request.recording.debuginfod) return "--debuginfod";
  if (request.sampling.symbol_path.has_value()) return "--symbol-path";
  const auto wants_kind = [](request::SortBy key) { return key == request::SortBy::core_kind; };
  const auto& sort = request.recording.sort;
  return std::any_of(sort.begin(), sort.end(), wants_kind) ? "--sort cputype" : "";
}

}  // namespace

diag::Result<void> report_foreign(const recording::OpenedProfile& opened, const request::Request& request,
                                  diag::Console& console, const ExportSink& sink) {
  const std::string_view name = profiles::format_name(opened.format);
  if (const std::string_view option = unanswered(request); !option.empty()) {
    return diag::Error{
        .text = fmt::format("{} cannot be used with a profile ({}): its samples have names only", option, name),
        .hint = "use a recording (perf.data, .etl)",
        .code = diag::ExitCode::usage};
  }
  const auto& sort = request.recording.sort;
  const bool wants_lines = std::find(sort.begin(), sort.end(), request::SortBy::line) != sort.end();
  const auto& timeline_ms = request.sampling.display.timeline_ms;
  const bool exports = request.recording.export_format.has_value();
  const bool has_page = request.recording.html_file.has_value();
  profiles::ProfileWishes wishes{.lines = wants_lines || exports,
                                 .times = exports || has_page || timeline_ms.has_value(),
                                 .slice_ns = timeline_ms.has_value() ? u64{*timeline_ms} * 1'000'000
                                             : has_page              ? request::kPageSliceNs
                                                                     : 0};
  if (request.recording.time.has_value()) {
    wishes.from_seconds = request.recording.time->from;
    wishes.to_seconds = request.recording.time->to;
  }
  auto read = profiles::read_foreign_profile(opened.bytes, opened.format, wishes, opened.passed);
  if (!read.has_value()) return recording::in_file(*request.data_file, std::move(read).error());
  profiles::ForeignProfile& foreign = read.value();
  for (const std::string& warning : foreign.warnings) console.warn("warning: " + warning);
  const bool chooses_time = request.recording.time.has_value();
  if ((chooses_time || timeline_ms.has_value()) && !foreign.has_times) {
    return diag::Error{.text = fmt::format("{} needs sample times, and {} ({}) has none",
                                           chooses_time ? "--time" : "--timeline", *request.data_file, name),
                       .hint = {},
                       .code = diag::ExitCode::usage};
  }
  foreign.profile.file = *request.data_file;
  return show_profile(foreign.profile, foreign.moments, nullptr, request, console, sink);
}

}  // namespace wperf::commands
