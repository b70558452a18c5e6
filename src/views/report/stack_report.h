// SPDX-License-Identifier: BSD-3-Clause
// The answers of `report` for recordings of samples: tables, call trees, folded stacks and JSON. Pure functions of
// profile and options; lines end in LF.
#pragma once
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ground/text/json_writer.h"
#include "model/stacks/call_tree.h"
#include "model/stacks/recording_about.h"
#include "model/stacks/stack_rows.h"
#include "views/report/table.h"

namespace wperf::report {

// The part of a recording that is in a profile: limited to a period, to a number of running threads, or both.
struct RecordingPart {
  std::optional<double> from, to;            // seconds
  u32 fewest_threads = 0, most_threads = 0;  // 0: any number
  bool is_whole() const { return !from.has_value() && !to.has_value() && most_threads == 0; }
};

struct StackOptions {
  std::vector<stacks::SortKey> sort;                 // empty: comm, module, symbol
  std::vector<std::vector<stacks::SortKey>> tables;  // --by: an additional table for each entry
  stacks::StackFilter filter;
  u32 rows = 50;
  bool children = false;
  bool tree = false, callers = false, callees = false;
  double percent_limit = 0.5;  // call trees leave out smaller shares
  bool relative = false;       // percentages refer to the samples that pass the filter
  RecordingPart part{};
  bool verbose = false;
  usize width = 0;                                // of the terminal in characters; 0: unlimited
  bool coloured = false;                          // colours hot rows, on a terminal
  const stacks::RecordingAbout* about = nullptr;  // null: nothing is known about the run
};

std::string stack_text(const stacks::StackProfile& profile, const StackOptions& options);
// `first`: writes members at the beginning of the document.
std::string stack_json(const stacks::StackProfile& profile, const StackOptions& options,
                       const WriteMembers& first = {});
// Writes the same document as the member "recording" of an open object.
void write_stack(text::JsonWriter& json, const stacks::StackProfile& profile, const StackOptions& options);
// Writes "name;outermost;…;innermost 17" for tools that draw flame graphs, for one event. The text is passed on in
// parts of whole lines. Each line has a complete stack, so the output can be much longer than the profile.
using TakeText = std::function<void(std::string_view part)>;
void write_folded(const stacks::StackProfile& profile, u32 event, const StackOptions& options, const TakeText& take);

// Used only by the files of this folder. Declares the columns of a table of rows.
struct StackColumns {
  const stacks::StackProfile& profile;
  const stacks::StackEvent& event;
  const std::vector<stacks::SortKey>& keys;
  const StackOptions& options;
  u64 whole;  // 100 %
  void operator()(Columns& to, const stacks::StackRow& row) const;
};
std::vector<stacks::SortKey> sort_keys(const StackOptions& options);
// The weight that counts as 100 % of an event; if `relative`, the weight of the samples that pass the filter.
u64 whole_period(const stacks::StackProfile& profile, u32 event, const stacks::StackFilter& filter, bool relative);
// The filter for trees of callers: these begin with the samples in the chosen functions themselves, even if the rows of
// --children include callees.
stacks::StackFilter filter_of_callers(const StackOptions& options);
// The filter for trees of callees: these have all samples in and below the chosen functions.
stacks::StackFilter filter_of_callees(const StackOptions& options);
// The functions for which call trees are made: the functions in the top rows that pass the filter, each once.
std::vector<u32> hot_functions(const stacks::StackProfile& profile, u32 event, const StackOptions& options);
// Appends the lines and instructions of hot functions, if the profile has them.
void append_code(std::string& out, const stacks::StackProfile& profile, u32 event, const StackOptions& options);
void write_code(text::JsonWriter& json, const stacks::StackProfile& profile, u32 event);
void append_call_trees(std::string& out, const stacks::StackProfile& profile, u32 event, const StackOptions& options);
// The text about damage in StackLosses; empty if there is no damage.
std::string damage_text(u64 places, u64 bytes, u64 records_about);
// A loss or unreadable data, as a sentence and in a few words. Minor: less than 1 %.
struct StackLoss {
  std::string text, brief;
  bool is_minor = false;
};
std::vector<StackLoss> stack_losses(const stacks::StackProfile& profile);
// The losses of the recording, including the losses of a Windows trace.
std::vector<StackLoss> data_losses(const stacks::StackProfile& profile);
bool may_lack_samples(const stacks::StackProfile& profile);
// The losses of data_losses(), and code without names.
std::vector<StackLoss> all_losses(const stacks::StackProfile& profile);
// "45 samples lost (0.8 %), 5 stacks incomplete (0.1 %)"
std::string losses_brief(const std::vector<StackLoss>& losses);
// Modules without names for their code, if they have many samples, ordered by samples.
struct NamelessModule {
  u32 module = 0;
  double percent = 0;  // of all samples
  std::string reason;  // includes the remedy
};
std::vector<NamelessModule> nameless_modules(const stacks::StackProfile& profile);
// Each note is one sentence: about missing names, or about filters without a match, with the names that exist.
std::vector<std::string> name_notes(const stacks::StackProfile& profile);
std::vector<std::string> filter_notes(const stacks::StackProfile& profile, const stacks::StackFilter& filter);
// The sentences about losses, each on a line and with `prefix` before it.
std::string stack_losses_text(const stacks::StackProfile& profile, std::string_view prefix);

}  // namespace wperf::report
