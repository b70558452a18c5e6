// SPDX-License-Identifier: BSD-3-Clause
#include "app/mcp/tools.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "views/schemas/schemas.h"

namespace wperf::mcp {
namespace {

constexpr u32 kLargestTask = 0xffff'ffff;

constexpr Parameter kRecording{
    "recording", Kind::text, true,
    "A handle that open returned, or a path inside the root: perf.data, .etl, or a profile of "
    "another program."};
constexpr Parameter kFunction{
    "function", Kind::text, true,
    "The name of the function as other answers show it; ^NAME matches beginnings, NAME$ endings."};
constexpr Parameter kModule{"module", Kind::text, false, "Only samples in this program or library."};
constexpr Parameter kThread{"thread", Kind::text, false, "Only threads with this name."};
constexpr Parameter kPid{"pid", Kind::number_of_task, false, "Only this process."};
constexpr Parameter kTid{"tid", Kind::number_of_task, false, "Only this thread."};
constexpr Parameter kFrom{"from", Kind::number, false, "Only samples from this second on."};
constexpr Parameter kTo{"to", Kind::number, false, "Only samples until this second."};
constexpr Parameter kProgram{"program", Kind::text, true, "The program to start."};
constexpr Parameter kWords{"arguments", Kind::texts, false, "Its arguments."};
constexpr Parameter kSeconds{"seconds", Kind::number, false, "Stop after this time; default 60, at most 600."};
constexpr Parameter kDevice{"device", Kind::text, false,
                            "The measuring device: linux, etw, driver or sim; default: the best of this machine."};

constexpr Parameter kOpen[] = {
    {"recording", Kind::text, true, "A path inside the root: perf.data, .etl, or a profile of another program."}};
constexpr Parameter kSummary[] = {kRecording};
constexpr Parameter kFunctions[] = {
    kRecording,
    {"by", Kind::text, false, "The rows: function (default), line, module, thread, process or core."},
    {"children", Kind::flag, false, "The cost of called functions also counts for the caller."},
    kModule,
    kThread,
    kPid,
    kTid,
    kFrom,
    kTo};
constexpr Parameter kOfFunction[] = {kRecording, kFunction, kThread, kPid, kTid};
constexpr Parameter kWaits[] = {kRecording, kThread, kPid, kTid};
constexpr Parameter kPath[] = {kRecording, kTid};
constexpr Parameter kCompare[] = {
    {"before", Kind::texts, true, "Recordings of the old build, or counts of stat --json."},
    {"after", Kind::texts, true, "Recordings or counts of the new build."},
    {"per", Kind::text, false, "The unit of costs: run (default), second or share."}};
constexpr Parameter kEvents[] = {{"match", Kind::text, false, "Only events whose name or description has this text."},
                                 kDevice};
constexpr Parameter kRecord[] = {kProgram,
                                 kWords,
                                 kDevice,
                                 {"event", Kind::text, false, "The sampled event; default: CPU time, or cycles."},
                                 {"waits", Kind::flag, false, "Records why threads waited instead of where they ran."},
                                 kSeconds};
constexpr Parameter kTopdown[] = {kProgram, kWords, kDevice, kSeconds};

// Tools that start programs come last.
constexpr ToolRow kTools[] = {
    {Tool::open, "open", "Open a recording",
     "Opens a recording and says what is in it. Its handle is valid until the file changes.", false, kOpen},
    {Tool::summary, "summary", "Where the time went",
     "How long the program ran, the CPUs it used, whether it waited, and its ten hottest functions.", false, kSummary},
    {Tool::functions, "functions", "Hot functions, lines, modules, threads",
     "The ten largest rows by samples, with their 95 % intervals. Choose the rows with `by`, and the samples with the "
     "other arguments.",
     false, kFunctions},
    {Tool::callers, "callers", "Callers of a function", "The functions that called this one, by samples in it.", false,
     kOfFunction},
    {Tool::callees, "callees", "Callees of a function",
     "The functions that this one called, by samples in and below them.", false, kOfFunction},
    {Tool::source, "source", "Hot lines of a function", "The source lines of a function with most samples.", false,
     kOfFunction},
    {Tool::waits, "waits", "Why threads waited",
     "How much of the threads' time was running, ready and waiting, and the functions in which they waited. Needs a "
     "recording of context switches.",
     false, kWaits},
    {Tool::critical_path, "critical_path", "The critical path",
     "The chain of threads that determined how long the program took: which of them ran when, and what it waited for.",
     false, kPath},
    {Tool::compare, "compare", "Compare two builds",
     "The costs that grew or shrank between two builds, with intervals. It lists only changes that are unlikely to be "
     "chance.",
     false, kCompare},
    {Tool::events, "events", "Events of this machine", "The events that can be counted and sampled here.", false,
     kEvents},
    {Tool::record, "record", "Record a program",
     "Starts a program, samples it, and keeps the recording in the root. The answer is its summary.", true, kRecord},
    {Tool::topdown, "topdown", "Bottleneck of a program",
     "Runs a program up to four times and says which part of the pipeline lost the most slots.", true, kTopdown},
};
constexpr usize kReading = 10;

// A message must be one line. In a schema, line ends are only between values, so they can be removed.
std::string one_line(std::string_view text) {
  std::string line;
  for (const char c : text) {
    if (c != '\n') line += c;
  }
  return line;
}

std::string_view type_of(Kind kind) {
  switch (kind) {
    case Kind::text:
      return "string";
    case Kind::texts:
      return "array";
    case Kind::number:
      return "number";
    case Kind::number_of_task:
      return "integer";
    case Kind::flag:
      return "boolean";
  }
  return "string";
}

bool fits(Kind kind, const Value& given) {
  switch (kind) {
    case Kind::text:
      return given.kind == Value::Kind::text;
    case Kind::texts:
      return given.kind == Value::Kind::list;
    case Kind::number:
      return given.kind == Value::Kind::number;
    case Kind::number_of_task:
      return given.kind == Value::Kind::number && given.number >= 0 && given.number <= kLargestTask &&
             given.number == std::floor(given.number);
    case Kind::flag:
      return given.kind == Value::Kind::flag;
  }
  return false;
}

void write_input(text::JsonWriter& json, const ToolRow& row) {
  json.begin_object("inputSchema");
  json.string("type", "object");
  json.begin_object("properties");
  for (const Parameter& parameter : row.parameters) {
    json.begin_object(parameter.name);
    json.string("type", type_of(parameter.kind));
    if (parameter.kind == Kind::texts) {
      json.begin_object("items");
      json.string("type", "string");
      json.end_object();
    }
    if (parameter.kind == Kind::number_of_task) {
      json.integer("minimum", 0);
      json.integer("maximum", u64{kLargestTask});
    }
    json.string("description", parameter.help);
    json.end_object();
  }
  json.end_object();
  json.begin_array("required");
  for (const Parameter& parameter : row.parameters) {
    if (parameter.is_required) json.string(parameter.name);
  }
  json.end_array();
  json.boolean("additionalProperties", false);
  json.end_object();
}

}  // namespace

std::span<const ToolRow> tool_rows(bool may_start_programs) {
  return may_start_programs ? std::span<const ToolRow>(kTools) : std::span<const ToolRow>(kTools).first(kReading);
}

const ToolRow* find_tool(std::string_view name, bool may_start_programs) {
  const auto rows = tool_rows(may_start_programs);
  const auto found = std::ranges::find(rows, name, &ToolRow::name);
  return found == rows.end() ? nullptr : &*found;
}

void write_tool(text::JsonWriter& json, const ToolRow& row, bool has_output) {
  json.begin_object();
  json.string("name", row.name);
  json.string("title", row.title);
  json.string("description", row.help);
  write_input(json, row);
  if (has_output) json.written("outputSchema", one_line(schemas::find("brief")->text));
  json.begin_object("annotations");
  json.string("title", row.title);
  json.boolean("readOnlyHint", !row.starts_programs);
  json.boolean("destructiveHint", row.starts_programs);
  json.boolean("idempotentHint", !row.starts_programs);
  json.boolean("openWorldHint", false);
  json.end_object();
  json.end_object();
}

std::string wrong_argument(const ToolRow& row, const Arguments& arguments) {
  std::string known;
  for (const Parameter& parameter : row.parameters)
    known += fmt::format("{}{}", known.empty() ? "" : ", ", parameter.name);
  for (const auto& [name, value] : arguments.all) {
    const auto found = std::ranges::find(row.parameters, name, &Parameter::name);
    if (found == row.parameters.end())
      return fmt::format("{} has no argument '{}'; it takes {}", row.name, name, known);
    if (fits(found->kind, value)) continue;
    if (found->kind == Kind::number_of_task) return fmt::format("{} is not a number from 0 to {}", name, kLargestTask);
    return fmt::format("the argument {} is not of type {}", name, type_of(found->kind));
  }
  for (const Parameter& parameter : row.parameters) {
    if (parameter.is_required && arguments.find(parameter.name) == nullptr)
      return fmt::format("{} needs the argument {}", row.name, parameter.name);
  }
  return {};
}

}  // namespace wperf::mcp
