// SPDX-License-Identifier: BSD-3-Clause
#include "app/cli/given_words.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <vector>

#include "ground/diag/nearest.h"

namespace wperf::cli {
namespace {

using request::Command;

// May the option have no effect without a warning? WindowsPerf accepts each of its options with any command, and
// scripts made for it need an empty stderr. Options about the terminal, the device and stacks are also accepted by all
// commands. perf's users repeat stack options with report, where they select the view.
bool may_be_idle(Option option) {
  switch (option) {
    case Option::device:
    case Option::no_pager:
    case Option::colours:
    case Option::all_help:
    case Option::stacks:
    case Option::call_graph:
      return true;
    default:
      return is_of_windowsperf(option);
  }
}

// Does the option add up its values, instead of using only the last one?
bool accumulates(Option option) {
  switch (option) {
    case Option::events:
    case Option::metrics:
    case Option::metric_file:
    case Option::extra_events:
    case Option::config:
    case Option::pdb_file:
    case Option::live_counters:
    case Option::push_label:
    case Option::fail_if:
      return true;
    default:
      return false;
  }
}

void warn_once(std::string warning, request::Request& request) {
  const auto& told = request.warnings;
  if (std::find(told.begin(), told.end(), warning) == told.end()) request.warnings.push_back(std::move(warning));
}

void warn_of_idle_options(const GivenWords& given, request::Request& request) {
  // Scripts for WindowsPerf do not use these commands.
  const bool is_ours = request.command == Command::guide || request.command == Command::machine;
  for (const GivenOption& one : given.options) {
    const Option option = one.row->option;
    if (may_be_idle(option) && !(is_ours && is_of_windowsperf(option))) continue;
    if (one.row->commands.has(request.command)) continue;
    warn_once(fmt::format("warning: {} has no effect on {}", one.spelling, row_of(request.command).name), request);
  }
}

// Only the last value of an option counts.
void warn_of_overridden_values(const GivenWords& given, request::Request& request) {
  for (auto one = given.options.begin(); one != given.options.end(); ++one) {
    const bool counts = one->row->commands.has(request.command);
    if (!counts || !one->row->takes_word() || accumulates(one->row->option)) continue;
    const auto later =
        std::find_if(one + 1, given.options.end(), [&](const GivenOption& other) { return other.row == one->row; });
    if (later == given.options.end() || later->value == one->value) continue;
    warn_once(fmt::format("warning: {} {} overrides the earlier {} {}", later->spelling, later->value, one->spelling,
                          one->value),
              request);
  }
}

// -n can be mistaken for the number of runs. With JSON there is no warning, because clients of WindowsPerf expect none.
void warn_of_count_without_timeline(const GivenWords& given, request::Request& request) {
  if (request.command != Command::stat || request.timeline.enabled || !request.program.has_value()) return;
  if (request.listen.has_value()) return;
  if (request.outputs.json || request.outputs.quiet || request.runs.has_value()) return;
  for (const GivenOption& one : given.options) {
    if (one.row->option != Option::count) continue;
    warn_once(
        fmt::format("warning: -n is for timelines (-t) and has no effect here; -r {} repeats the program", one.value),
        request);
  }
}

void warn_of_idle_commands(const GivenWords& given, request::Request& request) {
  for (usize i = 1; i < given.commands.size(); ++i) {
    const std::string_view first = given.commands.front()->name, other = given.commands[i]->name;
    warn_once(first == other ? fmt::format("warning: {} is given twice", first)
                             : fmt::format("warning: {} and {} are both commands; only {} runs", first, other,
                                           row_of(request.command).name),
              request);
  }
  const bool samples_nothing = request.command == Command::stat && !request.sampling.events.empty();
  if (samples_nothing)
    warn_once("warning: -e after record, sample or top chooses events to sample, not to count", request);
}

using request::Command;
using Words = std::vector<std::string_view>;

Words words_of_commands() {
  Words words;
  for (const CommandRow& row : command_rows()) words.push_back(row.name);
  words.push_back(kHelpWord);
  return words;
}

Words option_words(Command command) {
  Words words, others = {"--help"};
  if (command == Command::none) others.push_back(row_of(Command::version).name);
  for (const OptionRow& row : option_rows()) {
    Words& list = row.commands.has(command) ? words : others;
    list.insert(list.end(), {row.name, row.alias});
  }
  words.insert(words.end(), others.begin(), others.end());
  return words;
}

// Options that perf spells differently, because users of perf type them.
struct OfPerf {
  std::string_view word, here;
};
constexpr OfPerf kOptionsOfPerf[] = {
    {"-F", "use --freq HZ for perf's -F"},
    {"-a",
     "leave out the program: `wperf record` and `wperf stat` then measure the whole machine; on the simulated machine "
     "use --all-cores"},
    {"--all-cpus", "leave out the program: `wperf record` and `wperf stat` then measure the whole machine"},
    {"--stdio", "leave it out: `wperf report` prints text"},
};
constexpr OfPerf kCommandsOfPerf[] = {
    {"annotate", "`wperf report FILE --annotate` shows source lines; add --disassemble for instructions"},
    {"script", "`wperf report FILE --records -` prints every sample"},
    {"lock", "`wperf waits -- PROGRAM` shows which threads waited for locks, and for which threads"},
    {"sched", "`wperf waits -- PROGRAM` shows when threads ran, were ready and waited"},
    {"trace", "`wperf waits -- PROGRAM` shows where threads waited; it does not list system calls"},
    {"c2c",
     "`wperf record -e arm_spe_0// --mem -- PROGRAM` shows false sharing on Arm cores with SPE; for a recording use "
     "`wperf report FILE --mem`"},
    {"mem",
     "`wperf record -e arm_spe_0// --mem -- PROGRAM` shows which code waits for memory on Arm cores with SPE; for a "
     "recording use `wperf report FILE --mem`"},
    {"buildid-list", "`wperf report FILE -v` lists the modules and the source of their symbols"},
};

std::string hint_of_perf(std::span<const OfPerf> words, std::string_view word) {
  for (const OfPerf& one : words) {
    if (one.word == word) return std::string(one.here);
  }
  return {};
}

// "reprot; did you mean report?"
std::string with_meant(const std::string& problem, std::string_view meant) {
  return meant.empty() ? problem : problem + "; " + diag::did_you_mean(meant);
}

std::string where_options_are(std::optional<Command> command) {
  const bool known = command.has_value() && *command != Command::version;
  return known ? fmt::format("`wperf {} --help` lists its options", row_of(*command).name)
               : "`wperf --help --all` lists every option";
}

}  // namespace

bool is_of_windowsperf(Option option) {
  switch (option) {
    case Option::events:
    case Option::metrics:
    case Option::cores:
    case Option::timeout:
    case Option::timeline:
    case Option::interval:
    case Option::count:
    case Option::kernel:
    case Option::dmc:
    case Option::metric_file:
    case Option::extra_events:
    case Option::config:
    case Option::pe_file:
    case Option::pdb_file:
    case Option::image_name:
    case Option::spawn_delay:
    case Option::symbol:
    case Option::display_row:
    case Option::display_long:
    case Option::annotate:
    case Option::disassemble:
    case Option::export_perf_data:
    case Option::json:
    case Option::quiet:
    case Option::verbose:
    case Option::output:
    case Option::output_csv:
    case Option::directory:
    case Option::force_lock:
      return true;
    default:
      return false;
  }
}

void warn_of_idle_words(const GivenWords& given, request::Request& request) {
  if (request.command == Command::none || request.command == Command::help) return;
  warn_of_idle_options(given, request);
  warn_of_overridden_values(given, request);
  warn_of_idle_commands(given, request);
  warn_of_count_without_timeline(given, request);
}

std::string meant_option(const std::string& word, Command command) {
  if (!word.starts_with('-')) return {};
  const usize equals = word.find('=');
  const Words known = option_words(command);
  const std::string meant(diag::nearest(std::string_view(word).substr(0, equals), known));
  const OptionRow* row = find_option(meant);
  const bool takes_value = row != nullptr && row->takes_word();
  if (equals == std::string::npos || !takes_value || equals + 1 == word.size()) return meant;
  return meant + " " + word.substr(equals + 1);
}

diag::Error no_command() {
  return diag::usage_error("no command given", "`wperf --help` lists the commands");
}

diag::Error unknown_command(const std::string& word) {
  const Words known = words_of_commands();
  if (std::string here = hint_of_perf(kCommandsOfPerf, word); !here.empty()) {
    return diag::usage_error(fmt::format("no command '{}'", word), std::move(here));
  }
  return diag::usage_error(with_meant(fmt::format("no command '{}'", word), diag::nearest(word, known)),
                           "`wperf --help` lists the commands");
}

diag::Error unknown_option(const std::string& word, std::optional<Command> command) {
  if (std::string here = hint_of_perf(kOptionsOfPerf, word); !here.empty()) {
    return diag::usage_error(fmt::format("no option '{}'", word), std::move(here));
  }
  const std::string meant = meant_option(word, command.value_or(Command::none));
  return diag::usage_error(with_meant(fmt::format("no option '{}'", word), meant), where_options_are(command));
}

diag::Error unexpected_word(const std::string& word, Command command) {
  return diag::usage_error(fmt::format("{} does not take '{}'", row_of(command).name, word),
                           where_options_are(command));
}

diag::Error two_commands(const CommandRow& first, const CommandRow& second, bool starts) {
  return diag::usage_error(
      first.command == second.command
          ? fmt::format("{} is given twice", first.name)
          : fmt::format("{} and {} are both commands; only one can run", first.name, second.name),
      starts ? fmt::format("to run a program with that name, put it after --: wperf {} -- {}", first.name, second.name)
             : "remove one of them");
}

}  // namespace wperf::cli
