// SPDX-License-Identifier: BSD-3-Clause
// A profile as bytes for the page's scripts: a JSON document with names and small tables, then columns of numbers, each
// a run of varints. docs/design/html.md has the list; page/data.js reads it. Called by html_report.cpp.
#pragma once
#include <string>

#include "views/html/html_report.h"

namespace wperf::html {

struct PageData {
  std::string profile;
  std::string samples;  // of a page with all samples: times, then rows; the page unpacks it when it is seen already
};
PageData profile_columns(const stacks::StackProfile& profile, const HtmlOptions& options);

}  // namespace wperf::html
