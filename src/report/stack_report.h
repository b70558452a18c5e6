// SPDX-License-Identifier: BSD-3-Clause
// The answers of `report` to a recording that is a list of samples: tables, call trees, folded stacks and JSON. Pure
// functions of profile and options; lines end in LF. Called by commands.
#pragma once
#include <string>
#include <vector>

#include "report/json_writer.h"
#include "stacks/call_tree.h"
#include "stacks/stack_rows.h"

namespace wperf::report {

struct StackOptions {
  std::vector<stacks::SortKey> sort;                 // empty: comm, module, symbol
  std::vector<std::vector<stacks::SortKey>> tables;  // of --by: one more table each
  stacks::StackFilter filter;
  u32 rows = 50;
  bool children = false;
  bool tree = false, callers = false, callees = false;
  double percent_limit = 0.5;  // call trees leave out what has less
  bool relative = false;       // percentages are those of what the filter leaves
  bool verbose = false;
  usize width = 0;        // of the terminal in characters; 0: lines may be as long as they need to be
  bool coloured = false;  // hot rows, on a terminal
};

std::string stack_text(const stacks::StackProfile& profile, const StackOptions& options);
std::string stack_json(const stacks::StackProfile& profile, const StackOptions& options);
// "name;outermost;…;innermost 17" for tools that draw flame graphs; of one event.
std::string folded_text(const stacks::StackProfile& profile, u32 event, const StackOptions& options);

// For the files of this room.
std::vector<stacks::SortKey> sort_keys(const StackOptions& options);
// What is 100 % of an event.
u64 whole_period(const stacks::StackProfile& profile, u32 event, const StackOptions& options);
// Functions of the rows at the top, each once: what call trees are made for.
std::vector<u32> hot_functions(const stacks::StackProfile& profile, u32 event, const StackOptions& options);
// Lines and instructions of hot functions, as far as the profile has them.
void append_code(std::string& out, const stacks::StackProfile& profile, u32 event, const StackOptions& options);
void write_code(JsonWriter& json, const stacks::StackProfile& profile, u32 event);
void append_call_trees(std::string& out, const stacks::StackProfile& profile, u32 event, const StackOptions& options);
// What StackLosses says of damage; empty: there is none.
std::string damage_text(u64 places, u64 bytes, u64 records_about);
// What was lost or could not be read, one sentence a line, with `prefix` before each.
std::string stack_losses_text(const stacks::StackProfile& profile, std::string_view prefix);

}  // namespace wperf::report
