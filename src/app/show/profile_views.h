// SPDX-License-Identifier: BSD-3-Clause
// The views of samples that were counted and named, whatever they were read from: tables, trees, folded stacks, JSON,
// pages and exports.
#pragma once
#include <string>

#include "analysis/operations/spe_profile.h"
#include "app/show/report_options.h"
#include "ground/diag/console.h"
#include "ground/diag/result.h"
#include "model/request/output_options.h"
#include "model/stacks/moments.h"
#include "model/stacks/recording_about.h"
#include "model/stacks/stack_profile.h"
#include "views/html/html_report.h"

namespace wperf::show {

struct ShownProfile {
  const stacks::StackProfile& profile;
  const stacks::Moments& moments;
  const stacks::RecordingAbout* about = nullptr;  // null: there are no facts about the run
  // Parts that only some pages have.
  const operations::SpeProfile* spe = nullptr;
  const html::WaitsOfPage* waits = nullptr;
  std::string clients_json = {};  // the value of "sampling" that WindowsPerf's clients read in JSON, too; may be empty
};
diag::Result<void> show_profile(const ShownProfile& shown, const ReportOptions& options, diag::Console& console);

// --html and --svg. Reports the written file and its size.
diag::Result<void> write_pages(const ShownProfile& shown, const ReportOptions& options, diag::Console& console);
// A finished page.
diag::Result<void> write_page(const std::string& file, const std::string& text, const request::Outputs& outputs,
                              diag::Console& console);

}  // namespace wperf::show
