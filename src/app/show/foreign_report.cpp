// SPDX-License-Identifier: BSD-3-Clause
#include "app/show/foreign_report.h"

#include <fmt/format.h>

#include <string_view>

#include "app/show/profile_views.h"

namespace wperf::show {

diag::Result<void> report_foreign(const recording::OpenedProfile& opened, const ReportOptions& options,
                                  diag::Console& console) {
  const std::string_view name = profiles::format_name(opened.format);
  if (const std::string_view option = options.refused_of_profile; !option.empty()) {
    return diag::Error{
        .text = fmt::format("{} cannot be used with a profile ({}): its samples have names only", option, name),
        .hint = "use a recording (perf.data, .etl)",
        .code = diag::ExitCode::usage};
  }
  const auto& timeline_ms = options.display.timeline_ms;
  const bool exports = options.exported.has_value();
  const bool has_page = options.pages.html_file.has_value();
  profiles::ProfileWishes wishes{.lines = options.read.lines || exports,
                                 .times = exports || has_page || timeline_ms.has_value(),
                                 .slice_ns = timeline_ms.has_value() ? u64{*timeline_ms} * 1'000'000
                                             : has_page              ? request::kPageSliceNs
                                                                     : 0};
  const bool chooses_time = options.read.time.has_value();
  if (chooses_time) {
    wishes.from_seconds = options.read.time->from;
    wishes.to_seconds = options.read.time->to;
  }
  auto read = profiles::read_foreign_profile(opened.bytes, opened.format, wishes, opened.passed);
  if (!read.has_value()) return recording::in_file(options.file, std::move(read).error());
  profiles::ForeignProfile& foreign = read.value();
  for (const std::string& warning : foreign.warnings) console.warn("warning: " + warning);
  if ((chooses_time || timeline_ms.has_value()) && !foreign.has_times) {
    return diag::Error{.text = fmt::format("{} needs sample times, and {} ({}) has none",
                                           chooses_time ? "--time" : "--timeline", options.file, name),
                       .hint = {},
                       .code = diag::ExitCode::usage};
  }
  foreign.profile.file = options.file;
  return show_profile({.profile = foreign.profile, .moments = foreign.moments}, options, console);
}

}  // namespace wperf::show
