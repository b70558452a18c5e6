// SPDX-License-Identifier: BSD-3-Clause
// --html and --svg: results as files for people.
#pragma once
#include <string>

#include "app/show/profile_views.h"
#include "app/show/report_options.h"
#include "ground/diag/console.h"
#include "ground/diag/result.h"
#include "model/request/output_options.h"

namespace wperf::show {

// Reports the written file and its size.
diag::Result<void> write_pages(const ShownProfile& shown, const ReportOptions& options, diag::Console& console);
// A finished page.
diag::Result<void> write_page(const std::string& file, const std::string& text, const request::Outputs& outputs,
                              diag::Console& console);

}  // namespace wperf::show
