// SPDX-License-Identifier: BSD-3-Clause
// The tools of `wperf mcp`: their names, parameters and schemas. tool_answers.h carries them out. Pure.
#pragma once
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "app/mcp/message.h"
#include "base/ints.h"
#include "ground/text/json_writer.h"

namespace wperf::mcp {

enum class Tool : u8 {
  open,
  summary,
  functions,
  callers,
  callees,
  source,
  waits,
  critical_path,
  compare,
  events,
  record,
  topdown,
};

// number_of_task: the number of a process or thread.
enum class Kind : u8 { text, texts, number, number_of_task, flag };

struct Parameter {
  std::string_view name;
  Kind kind;
  bool is_required;
  std::string_view help;
};

struct ToolRow {
  Tool tool;
  std::string_view name, title, help;
  bool starts_programs;  // allowed only with --allow-record
  std::span<const Parameter> parameters;
};

// All tools; tools that start programs are included only if they are allowed.
std::span<const ToolRow> tool_rows(bool may_start_programs);
// Returns null if no tool has this name.
const ToolRow* find_tool(std::string_view name, bool may_start_programs);

// Writes a member of the answer to tools/list. `has_output`: includes the schema of structured answers.
void write_tool(text::JsonWriter& json, const ToolRow& row, bool has_output);

// Returns a sentence about the first argument that does not fit; empty if all arguments fit.
std::string wrong_argument(const ToolRow& row, const Arguments& arguments);

}  // namespace wperf::mcp
