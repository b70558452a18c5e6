// SPDX-License-Identifier: BSD-3-Clause
// The names of --export.
#pragma once
#include <string_view>

#include "ground/diag/result.h"
#include "model/request/recording_view.h"

namespace wperf::request {

diag::Result<ExportFormat> parse_export_format(std::string_view name);
// Bytes that a terminal cannot show.
bool is_binary(ExportFormat format);
std::string_view export_name(ExportFormat format);
inline constexpr std::string_view kExportNames =
    "pprof firefox speedscope folded chrome perfetto callgrind otlp csv sql perf.data prometheus";

}  // namespace wperf::request
