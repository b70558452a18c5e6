// SPDX-License-Identifier: BSD-3-Clause
// A profile as bytes for the page's scripts: a JSON document with names and small tables, followed by columns of
// numbers as varints. docs/design/html.md lists them; page/data.js reads them.
#pragma once
#include <string>

#include "views/html/html_report.h"

namespace wperf::html {

struct PageData {
  std::string profile;
  std::string samples;  // for a page with all samples: times, then rows; the page unpacks these after it has been drawn
};
PageData profile_columns(const stacks::StackProfile& profile, const HtmlOptions& options);

}  // namespace wperf::html
