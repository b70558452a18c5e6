// SPDX-License-Identifier: BSD-3-Clause
#include "app/cli/given_words.h"

#include <fmt/format.h>

#include <algorithm>

namespace wperf::cli {
namespace {

using request::Command;

// WindowsPerf takes each of its options with any command, and scripts made for it need an empty stderr. Options about
// the terminal, the device and stacks (perf's users repeat the latter with report, where it chooses the view) may also
// be given to all commands.
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

// Each of its values counts.
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
  for (const GivenOption& one : given.options) {
    if (may_be_idle(one.row->option) || one.row->commands.has(request.command)) continue;
    warn_once(fmt::format("warning: {} has no effect on {}", one.spelling, row_of(request.command).name), request);
  }
}

// The last value of an option counts.
void warn_of_overridden_values(const GivenWords& given, request::Request& request) {
  for (auto one = given.options.begin(); one != given.options.end(); ++one) {
    const bool counts = one->row->commands.has(request.command);
    if (!counts || one->row->value == Value::none || accumulates(one->row->option)) continue;
    const auto later =
        std::find_if(one + 1, given.options.end(), [&](const GivenOption& other) { return other.row == one->row; });
    if (later == given.options.end() || later->value == one->value) continue;
    warn_once(fmt::format("warning: {} {} overrides the earlier {} {}", later->spelling, later->value, one->spelling,
                          one->value),
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
}

}  // namespace wperf::cli
