// SPDX-License-Identifier: BSD-3-Clause
#include "model/request/export_format.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>

namespace wperf::request {
namespace {

// In the order of the values.
constexpr std::array<std::string_view, 13> kFormatNames = {
    "pprof",     "firefox", "speedscope", "folded", "chrome",    "perfetto",  "perfetto-perf",
    "callgrind", "otlp",    "csv",        "sql",    "perf.data", "prometheus"};

}  // namespace

diag::Result<ExportFormat> parse_export_format(std::string_view name) {
  for (usize i = 0; i < kFormatNames.size(); ++i) {
    if (kFormatNames[i] == name) return static_cast<ExportFormat>(i);
  }
  return diag::Error{.text = fmt::format("unknown format '{}' for --export", name),
                     .hint = fmt::format("formats: {}", fmt::join(kFormatNames, ", ")),
                     .code = diag::ExitCode::usage};
}

bool is_binary(ExportFormat format) {
  return format == ExportFormat::pprof || format == ExportFormat::perfetto || format == ExportFormat::perfetto_perf ||
         format == ExportFormat::otlp || format == ExportFormat::perf_data;
}

std::string_view export_name(ExportFormat format) {
  return kFormatNames[static_cast<usize>(format)];
}

}  // namespace wperf::request
