// SPDX-License-Identifier: BSD-3-Clause
// --html and --svg: what was found as files for people. Called by run_report, run_stat, run_topdown
// and compared_output.
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
  const stacks::Moments* moments = nullptr;  // null: nothing is known of time
  const stacks::RecordingAbout* about = nullptr;
  // What only some pages have.
  const operations::SpeProfile* spe = nullptr;
  const html::WaitsOfPage* waits = nullptr;
};
// Says what was written, and how large it is.
diag::Result<void> write_pages(const stacks::StackProfile& profile, const PageContent& content,
                               const request::Request& request, diag::Console& console);
// One that is made already.
diag::Result<void> write_page(const std::string& file, const std::string& text, const request::Request& request,
                              diag::Console& console);

}  // namespace wperf::commands
