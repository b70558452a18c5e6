// SPDX-License-Identifier: BSD-3-Clause
// --html and --svg: results as files for people.
#pragma once
#include <string>

#include "ground/diag/console.h"
#include "ground/diag/result.h"
#include "model/request/request.h"
#include "model/stacks/moments.h"
#include "model/stacks/stack_rows.h"
#include "views/html/html_report.h"

namespace wperf::commands {

struct PageContent {
  const stacks::StackFilter& filter;
  const stacks::Moments* moments = nullptr;  // null: times are unknown
  const stacks::RecordingAbout* about = nullptr;
  // Parts that only some pages have.
  const operations::SpeProfile* spe = nullptr;
  const html::WaitsOfPage* waits = nullptr;
};
// Reports the written file and its size.
diag::Result<void> write_pages(const stacks::StackProfile& profile, const PageContent& content,
                               const request::Request& request, diag::Console& console);
// A finished page.
diag::Result<void> write_page(const std::string& file, const std::string& text, const request::Outputs& outputs,
                              diag::Console& console);

}  // namespace wperf::commands
