// SPDX-License-Identifier: BSD-3-Clause
// The table of commands and options. The parser, --help, docs/user, the man page and the shell completions are all made
// from it; a test compares the checked-in files with it. Rows are constant data in the order in which they are shown.
#pragma once
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/ints.h"
#include "model/request/request.h"

namespace wperf::cli {

enum class Option : u8 {
  events,
  metrics,
  cores,
  timeout,
  timeline,
  interval,
  count,
  runs,
  kernel,
  dmc,
  metric_file,
  extra_events,
  config,
  pe_file,
  pdb_file,
  image_name,
  spawn_delay,
  process,
  sampled_cores,
  all_cores,
  jitter,
  rate,
  for_compilers,
  symbol,
  display_row,
  display_long,
  annotate,
  disassemble,
  by,
  sample_timeline,
  symbol_path,
  export_perf_data,
  stacks,
  call_graph,
  python,
  python_native,
  python_functions,
  python_lines,
  max_stack,
  output_perf_data,
  memory,
  records,
  sort,
  comms,
  pids,
  tids,
  modules,
  time,
  idle,
  providers,
  spans,
  span,
  percentage,
  percent_limit,
  children,
  tree,
  callers,
  callees,
  folded,
  export_format,
  inlined,
  branches,
  latency,
  parallelism,
  html,
  html_all,
  svg,
  critical_path,
  shortest_wait,
  on_off,
  level,
  node,
  counts_only,
  once,
  live_waits,
  live_counters,
  debuginfod,
  json,
  brief,
  quiet,
  verbose,
  output,
  output_csv,
  directory,
  device,
  force_lock,
  no_pager,
  colours,
  pgo_format,
  binary,
  push_url,
  push_target,
  push_label,
  token_file,
  tenant,
  plain_token,
  spool,
  spool_limit,
  push,
  every,
  listen,
  selftest,
  fix,
  print_wprp,
  cost_per,
  fail_if,
  record_runs,
  baseline,
  keep_baseline,
  warmup,
  show_output,
  junit,
  markdown,
  github,
  all_help,
  affinity,
  detached,
  root,
  allow_record,
};

// The headings in a command's help, in the order in which they are shown.
enum class Group : u8 { measured, duration, shown, names, output, machine };

// The value of the option, also used for completion. optional: a value may be attached, as in --brief=2048.
enum class Value : u8 { none, text, number, duration, file, folder, device, optional };

// A set of commands.
class CommandSet {
 public:
  constexpr CommandSet(request::Command command) : bits_(bit(command)) {}
  constexpr CommandSet with(CommandSet other) const {
    other.bits_ |= bits_;
    return other;
  }
  constexpr bool has(request::Command command) const { return (bits_ & bit(command)) != 0; }

 private:
  static constexpr u32 bit(request::Command command) { return 1u << static_cast<u32>(command); }
  u32 bits_;
};
constexpr CommandSet operator|(CommandSet one, CommandSet other) {
  return one.with(other);
}
constexpr CommandSet operator|(request::Command one, CommandSet other) {
  return other.with(one);
}

struct OptionRow {
  Option option;
  std::string_view name;
  std::string_view alias;  // may be empty
  bool alias_apart;        // the alias is shown in a separate section
  Value value;
  std::string_view value_name;  // "" if the option has no value
  CommandSet commands;
  Group group;
  std::string_view help;  // whole sentences

  // Is the next word its value?
  bool takes_word() const { return value != Value::none && value != Value::optional; }
};

struct CommandRow {
  request::Command command;
  std::string_view name;  // the token
  std::string_view alias;
  bool alias_apart;
  std::string_view argument;  // "[CPU/]NAME" for man
  std::string_view tail;      // "[-- PROGRAM ARGUMENTS...]"
  std::string_view page;      // docs/user/PAGE.md; several commands may share a page
  std::string_view help;
};

struct Example {
  request::Command command;
  std::string_view line;
  std::string_view help;
};

std::span<const CommandRow> command_rows();
std::span<const OptionRow> option_rows();
std::span<const Example> examples();

// The first word of `wperf help` and `wperf help stat`.
inline constexpr std::string_view kHelpWord = "help";

const CommandRow& row_of(request::Command command);  // for any command except none
const CommandRow* find_command(std::string_view token);
const OptionRow* find_option(std::string_view token);

// The possible values of the option, separated by blanks. Empty unless it has a few fixed values.
std::string_view value_words(Option option);
// Does the option take several values, separated by commas?
bool takes_list(Option option);

// "-c, --cpu": the name as it is shown in help.
template <typename Row>
std::string shown_name(const Row& row) {
  std::string name(row.name);
  if (!row.alias.empty() && !row.alias_apart) name.append(", ").append(row.alias);
  return name;
}

// The help text of the option for this command: a special text if the general one does not apply. With a `device`,
// returns only the part for this device; if `device` is empty, the whole text.
std::string_view help_for(const OptionRow& row, request::Command command, std::string_view device = {});

// "--brief[=BYTES]", "-e EVENTS": `name` with its value.
std::string with_value(std::string name, const OptionRow& row);

// "[-e EVENTS] [-k] …": the part of a synopsis after the command, in pieces that must not be broken.
std::string usage_of(const OptionRow& row);

}  // namespace wperf::cli
