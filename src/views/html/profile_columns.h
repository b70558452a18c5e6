// SPDX-License-Identifier: BSD-3-Clause
// A profile as bytes for the page's scripts: a JSON document with names and small tables, then columns of numbers, each
// a run of varints. docs/design/html.md has the list; page/data.js reads it.
#pragma once
#include <string>

#include "views/html/html_report.h"

namespace wperf::html {

struct PageData {
  std::string profile;
  std::string samples;  // for a page with all samples: times, then rows; the page unpacks it after it has been drawn
};
PageData profile_columns(const stacks::StackProfile& profile, const HtmlOptions& options);

}  // namespace wperf::html
