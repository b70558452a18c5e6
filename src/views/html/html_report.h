// SPDX-License-Identifier: BSD-3-Clause
// A recording as one HTML file that needs nothing else: losses, facts about the run and its hottest functions as plain
// HTML, all of the profile as packed columns, and the scripts that show them (page/, docs/design/html.md). A pure
// function of profile and options; lines end in LF.
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

// The answers of `waits` in addition to the profile of threads' time.
struct WaitsOfPage {
  waits::WaitReport report;
  waits::WaitMoments moments;  // the same waits, one by one
};

struct HtmlOptions {
  stacks::StackFilter filter = {};
  const stacks::RecordingAbout* about = nullptr;  // null: there are no facts about the run
  const stacks::Moments* moments = nullptr;       // times and states of threads; null: only slices
  bool all_samples = false;                       // with the time of each; `moments` has them
  std::string version = {};                       // of the tool
  const operations::SpeProfile* spe = nullptr;    // with memory; null: there is none
  std::string difference_json = {};               // for a page of two sides; empty: a page of one recording
  const WaitsOfPage* waits = nullptr;             // for a page of threads' time
};

std::string html_text(const stacks::StackProfile& profile, const HtmlOptions& options);

enum class PageKind : u8 { recording, difference, waits };
// A page until its body begins: title, policy, style sheet.
std::string page_start(std::string_view title, PageKind kind = PageKind::recording);
// The place for the views, and the beginning of the text for pages without scripts.
std::string views_start(std::string_view title);
// That text ends; the data and the scripts that show it.
std::string views_end(const stacks::StackProfile& profile, const HtmlOptions& options);
// A row of a table of facts, nothing if the value is not known; append_about: rows for some facts about the run.
void append_fact(std::string& out, std::string_view name, std::string_view value);
void append_about(std::string& out, const stacks::RecordingAbout& about, std::string_view made_by);
// A table until its first row, and the cells of a row, which end it.
void append_head(std::string& out, std::string_view caption, std::initializer_list<std::string_view> columns);
void append_cells(std::string& out, std::initializer_list<std::string_view> cells);
// All of a table; nothing if it has no rows.
void append_table(std::string& out, std::string_view caption, const report::Table& table);
// Its titles begin with capitals; without rows it is a head. Rows whose first cell is `worst` stand out.
void append_capital_table(std::string& out, std::string_view caption, report::Table table, std::string_view worst = {});
// Lines as a list. Warnings that a reader should see before the numbers of a page: the page's own warning counts them.
void append_list(std::string& out, const std::string& lines);
std::string base64(std::string_view bytes);

}  // namespace wperf::html
