// SPDX-License-Identifier: BSD-3-Clause
// `--brief`: an answer as Markdown with a limited number of bytes, for programs and assistants that read little. The
// verdict comes first, then at most ten rows, the losses, the causes that are ruled out, and the next command. Pure.
#pragma once
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/compare/comparison.h"
#include "analysis/compare/gate.h"
#include "analysis/waits/wait_report.h"
#include "base/ints.h"
#include "model/answers/count_profile.h"
#include "model/answers/tool_answers.h"
#include "model/stacks/recording_about.h"
#include "model/stacks/stack_profile.h"
#include "views/report/stack_report.h"
#include "views/report/table.h"
#include "views/report/topdown_report.h"

namespace wperf::brief {

inline constexpr usize kRows = 10;

// The texts contain no markup.
struct Brief {
  std::vector<std::string> verdict = {};  // sentences; the first one is the answer
  std::string heading = {};               // heading of the table
  report::Table table = {};               // at most kRows rows
  usize rows_in_all = 0;                  // the number of all rows; the table has the first of them
  std::vector<std::string> lost = {};     // known losses and doubts
  std::vector<std::string> ruled_out = {};
  std::string next = {};  // the command to run next; empty if there is none
  std::string all = {};   // the command that shows everything
};

// Leaves out rows from the end, then reasons and losses, until the text fits; the text says how many are left out. A
// command that does not fit is left out completely. Every brief fits into 512 bytes.
std::string markdown(const Brief& brief, usize bytes);
std::string json(const Brief& brief, usize bytes);

// Parts of the commands that a brief prints.
struct Commands {
  std::string recording = {};       // quoted for a command line; empty if the recording was not kept
  std::string program = {};         // command line of the program; empty if none was started
  std::string all = {};             // the same command without --brief
  std::string keeping = {};         // the same command, with a recording that is kept
  std::string with_functions = {};  // `bench` without --record: the same command with --record
};

// The hottest functions, or rows by other keys. With `callers` or `callees`: the callers or callees of the functions
// that the filter names.
Brief of_profile(const stacks::StackProfile& profile, const report::StackOptions& options, const Commands& commands);
// `about`: null if unknown.
Brief of_waits(const waits::WaitReport& report, const stacks::RecordingAbout* about, const Commands& commands);
Brief of_comparison(const compare::Comparison& comparison, std::span<const compare::Verdict> verdicts,
                    const Commands& commands);
Brief of_topdown(std::span<const report::Topdown> kinds, const Commands& commands);
Brief of_counts(const answers::CountProfile& profile, const Commands& commands);
Brief of_checks(std::span<const answers::Check> checks, const Commands& commands);

// The beginning of a longer text, with "..."; at most `most` bytes.
std::string cut(std::string_view text, usize most);

// The functions below are only for the files of this folder.

// Cuts a long name in the sentences of the verdict.
void cut_name(Brief& brief, std::string_view name);
template <class Rows, class Declare>
void fill_table(Brief& brief, const Rows& rows, const Declare& declare) {
  brief.rows_in_all = rows.size();
  brief.table = report::table_of(std::span(rows).first(std::min(rows.size(), kRows)), declare);
}

}  // namespace wperf::brief
