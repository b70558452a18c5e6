// SPDX-License-Identifier: BSD-3-Clause
// The options of a comparison, made once from the request (commands/report_options_builder.h).
#pragma once
#include "app/show/report_options.h"
#include "model/request/comparison_wishes.h"

namespace wperf::show {

struct ComparisonOptions {
  ReportOptions report = {};        // `read`: how each recording is read
  request::Comparison asked = {};   // sides, unit of costs, conditions, files
  bool is_told = true;              // text is printed
  bool stdout_is_document = false;  // no other text may be printed there
};

}  // namespace wperf::show
