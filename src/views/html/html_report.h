// SPDX-License-Identifier: BSD-3-Clause
// A recording as one self-contained HTML file: losses, facts about the run and the hottest functions as plain HTML, the
// whole profile as packed columns, and the scripts that show the columns (page/, docs/design/html.md). A pure function
// of profile and options; lines end in LF.
#pragma once
#include <initializer_list>
#include <string>
#include <string_view>

#include "analysis/operations/spe_profile.h"
#include "analysis/waits/wait_report.h"
#include "model/stacks/moments.h"
#include "model/stacks/recording_about.h"
#include "model/stacks/stack_rows.h"
#include "views/report/table.h"

namespace wperf::html {

// The results of `waits`, shown with the profile of the threads' time.
struct WaitsOfPage {
  waits::WaitReport report;
  waits::WaitMoments moments;  // the same waits as single entries
};

struct HtmlOptions {
  stacks::StackFilter filter = {};
  const stacks::RecordingAbout* about = nullptr;  // null: nothing is known about the run
  const stacks::Moments* moments = nullptr;       // times and states of threads; null: only time slices
  bool all_samples = false;                       // includes the time of each sample, from `moments`
  std::string version = {};                       // version of wperf
  const operations::SpeProfile* spe = nullptr;    // includes memory; null if there is none
  std::string difference_json = {};               // for a page with two sides; empty for a page of one recording
  const WaitsOfPage* waits = nullptr;             // for a page of the threads' time
};

std::string html_text(const stacks::StackProfile& profile, const HtmlOptions& options);

enum class PageKind : u8 { recording, difference, waits };
// The beginning of a page up to its body: title, policy, style sheet.
std::string page_start(std::string_view title, PageKind kind = PageKind::recording);
// The element for the views, and the beginning of the text for browsers without scripts.
std::string views_start(std::string_view title);
// The end of that text, followed by the data and the scripts that show it.
std::string views_end(const stacks::StackProfile& profile, const HtmlOptions& options);
// append_fact() appends a row of a table of facts, unless the value is empty. append_about() appends rows with facts
// about the run.
void append_fact(std::string& out, std::string_view name, std::string_view value);
void append_about(std::string& out, const stacks::RecordingAbout& about, std::string_view made_by);
// append_head() appends the beginning of a table up to its first row. append_cells() appends the cells of a row and
// ends the row.
void append_head(std::string& out, std::string_view caption, std::initializer_list<std::string_view> columns);
void append_cells(std::string& out, std::initializer_list<std::string_view> cells);
// Appends a whole table, unless it has no rows.
void append_table(std::string& out, std::string_view caption, const report::Table& table);
// Like append_table(), but titles begin with capital letters, and a table without rows still has its head. Rows whose
// first cell is `worst` are highlighted.
void append_capital_table(std::string& out, std::string_view caption, report::Table table, std::string_view worst = {});
// Appends lines as a list of warnings that must be read before the numbers of the page. The page shows their number in
// a warning.
void append_list(std::string& out, const std::string& lines);

}  // namespace wperf::html
