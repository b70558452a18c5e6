// SPDX-License-Identifier: BSD-3-Clause
#include "app/cli/command_line.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "app/cli/given_words.h"
#include "app/cli/option_effects.h"
#include "ground/os/process.h"
#include "model/request/recording_view.h"

namespace wperf::cli {
namespace {

using request::Command;
using request::Request;

// If there are several command words, the command that comes first in this list runs (contract 1.1). Only wperf puts
// help first (decision 10).
constexpr Command kPriority[] = {Command::help,   Command::doctor,  Command::detect, Command::man,     Command::version,
                                 Command::test,   Command::list,    Command::stat,   Command::record,  Command::sample,
                                 Command::report, Command::waits,   Command::diff,   Command::bench,   Command::push,
                                 Command::pgo,    Command::topdown, Command::top,    Command::machine, Command::guide,
                                 Command::mcp,    Command::schema};

// Separates the sides of diff and bench; diff accepts either.
constexpr std::string_view kSides = "--", kMoreSides = "---";

class Parser {
 public:
  Parser(std::span<const std::string> arguments, FileExists file_exists, const std::string& device)
      : arguments_(arguments), options_(request_, file_exists) {
    request_.device = device;
  }
  Parser(const Parser&) = delete;
  Parser& operator=(const Parser&) = delete;

  diag::Result<Request> run();

 private:
  diag::Result<void> take_token(const std::string& token);
  diag::Result<void> take_unknown(const std::string& token);
  diag::Result<void> take_option(const OptionRow& row, const std::string& spelling);
  diag::Result<void> take_attached(const OptionRow& row, const std::string& spelling, const std::string& value);
  diag::Error interval_of_report() const;
  diag::Result<void> take_command(const CommandRow& row);
  diag::Result<void> take_help_word();
  diag::Result<void> take_program();
  diag::Result<request::Program> program_of(std::span<const std::string> words) const;
  void finish();
  diag::Error first_mistake(diag::Error error) const;

  bool given(Command command) const { return (given_commands_ & (1u << static_cast<u32>(command))) != 0; }
  bool spawns() const {
    return given(Command::stat) || given(Command::record) || given(Command::waits) || given(Command::bench) ||
           given(Command::topdown) || given(Command::top) || given(Command::machine);
  }

  std::span<const std::string> arguments_;
  Request request_;
  OptionEffects options_;
  usize next_ = 0;
  u32 given_commands_ = 0;
  std::optional<Command> first_command_;  // without help
  GivenWords words_;
};

diag::Result<Request> Parser::run() {
  request_.arguments.assign(arguments_.begin(), arguments_.end());
  while (next_ < arguments_.size()) {
    const std::string& token = arguments_[next_++];
    if (given(Command::diff) && (token == kSides || token == kMoreSides)) {
      request_.comparison.has_sides = true;
      continue;
    }
    if (token == kSides) {
      WPERF_CHECK_OK(take_program());
      break;
    }
    auto taken = take_token(token);
    if (!taken.has_value()) return first_mistake(std::move(taken).error());
  }
  finish();
  return std::move(request_);
}

// A word after a colon is a bad interval or the name of a tracepoint; only plan can distinguish these. But on devices
// without tracepoints it is always a bad interval, and so the first mistake on the line.
diag::Error Parser::first_mistake(diag::Error error) const {
  if (request_.device == kLinuxDevice) return error;
  for (const request::SampledEvent& event : request_.sampling.events) {
    if (event.interval_error.has_value()) return *event.interval_error;
  }
  return error;
}

diag::Result<void> Parser::take_token(const std::string& token) {
  if (next_ == 1 && token == kHelpWord) return take_help_word();
  if (given(Command::machine) && !token.starts_with('-')) {
    request::MachineWork& machine = request_.machine;
    if (machine.action.empty()) {
      machine.action = token;
    } else {
      machine.words.push_back(token);
    }
    return {};
  }
  // The word can be the name of a schema, because many schemas have the names of commands.
  if (given(Command::schema) && !token.starts_with('-') && !request_.schema_name.has_value()) {
    request_.schema_name = token;
    return {};
  }
  if (const CommandRow* command = find_command(token)) return take_command(*command);
  if (const OptionRow* option = find_option(token)) return take_option(*option, token);
  const usize equals = token.find('=');
  const OptionRow* open = equals == std::string::npos ? nullptr : find_option(token.substr(0, equals));
  if (open != nullptr && open->value == Value::optional) {
    return take_attached(*open, token.substr(0, equals), token.substr(equals + 1));
  }
  if (given(Command::man) && !request_.man_topic.has_value()) {
    request_.man_topic = token;
    return {};
  }
  if ((given(Command::report) || given(Command::waits) || given(Command::push) || given(Command::pgo)) &&
      (!token.starts_with('-') || token == "-")) {
    if (request_.data_file.has_value()) {
      request_.further_files.push_back(token);
    } else {
      request_.data_file = token;
    }
    return {};
  }
  if (given(Command::diff) && !token.starts_with('-')) {
    request::Comparison& sides = request_.comparison;
    (sides.has_sides ? sides.after : sides.before).push_back(token);
    return {};
  }
  return take_unknown(token);
}

// On devices of WindowsPerf, the word is ignored with a warning, because scripts for WindowsPerf rely on this.
diag::Result<void> Parser::take_unknown(const std::string& token) {
  if (request_.device != kLinuxDevice) {
    request_.unexpected.push_back(token);
    return {};
  }
  if (!token.starts_with('-') && spawns()) {
    --next_;
    WPERF_CHECK_OK(take_program());
    next_ = arguments_.size();
    return {};
  }
  if (token.starts_with('-')) return unknown_option(token, first_command_);
  if (!first_command_.has_value()) return unknown_command(token);
  return unexpected_word(token, *first_command_);
}

// `help COMMAND`.
diag::Result<void> Parser::take_help_word() {
  WPERF_CHECK_OK(take_command(row_of(Command::help)));
  if (next_ == arguments_.size() || find_option(arguments_[next_]) != nullptr) return {};
  const std::string& topic = arguments_[next_++];
  if (topic == kHelpWord) return {};
  const CommandRow* command = find_command(topic);
  if (command == nullptr) return unknown_command(topic);
  return take_command(*command);
}

// `man` takes the next word, even if it is a command word. Options may come before that word, as in WindowsPerf.
diag::Result<void> Parser::take_command(const CommandRow& row) {
  if (!row.name.starts_with('-')) {
    // If several command words are given, WindowsPerf runs one of them, which scripts may rely on.
    if (!words_.commands.empty() && request_.device == kLinuxDevice && !given(Command::help)) {
      return two_commands(*words_.commands.front(), row, spawns());
    }
    words_.commands.push_back(&row);
  }
  given_commands_ |= 1u << static_cast<u32>(row.command);
  if (row.command != Command::help && !first_command_.has_value()) first_command_ = row.command;
  if (row.command == Command::sample || row.command == Command::record || row.command == Command::top) {
    options_.expect_samples();
  }
  if (row.command == Command::bench) options_.expect_rounds();
  // Searches only the words before the programs, because words of the programs can be anything.
  const auto options_end = std::find(arguments_.begin(), arguments_.end(), kSides);
  if (row.command == Command::bench && std::find(arguments_.begin(), options_end, "--record") != options_end)
    options_.expect_samples();
  if (row.command != Command::man || next_ == arguments_.size() || find_option(arguments_[next_]) != nullptr) return {};
  if (find_command(arguments_[next_]) == &row_of(Command::help)) return {};
  request_.man_topic = arguments_[next_++];
  return {};
}

// All remaining words belong to the program, unchanged.
diag::Result<void> Parser::take_program() {
  if (!spawns()) {
    request_.warnings.emplace_back("warning: only `stat` and `record` support process spawn!");
    return {};
  }
  auto words = arguments_.subspan(next_);
  if (given(Command::bench)) {
    const auto sides = std::find(words.begin(), words.end(), kMoreSides);
    if (sides != words.end()) {
      const usize before = static_cast<usize>(sides - words.begin());
      WPERF_TRY(request_.second_program, program_of(words.subspan(before + 1)));
      words = words.first(before);
    }
  }
  WPERF_TRY(request_.program, program_of(words));
  request_.pe_file = request_.program->path;
  return {};
}

diag::Result<request::Program> Parser::program_of(std::span<const std::string> words) const {
  if (words.empty()) {
    const bool of_two = given(Command::bench);
    return diag::usage_error(
        of_two ? "a program is missing after -- or ---" : "no program after --",
        of_two ? "wperf bench -- OLD ARGUMENTS --- NEW ARGUMENTS" : "put the program and its arguments after --");
  }
  const bool of_windows = request_.device != kLinuxDevice || given(Command::machine);
  return request::Program{.path = of_windows ? options_.path_here(words.front()) : words.front(),
                          .command_line = os::join_command_line(words),
                          .after_dashes = true};
}

// For `perf report -i FILE`: stat's -i has no meaning with report.
diag::Error Parser::interval_of_report() const {
  const std::string file = next_ < arguments_.size() ? arguments_[next_] : "FILE";
  return diag::usage_error("report has no option -i", fmt::format("write the file without -i: wperf report {}", file));
}

// For `record -o -- ./program`: the option would take the dashes as its value.
diag::Error no_value_before_dashes(const OptionRow& row, const std::string& spelling) {
  const char* const needed = row.value == Value::file     ? "a file name"
                             : row.value == Value::folder ? "a folder"
                             : row.value == Value::number ? "a number"
                                                          : "a value";
  return diag::usage_error(fmt::format("{} needs {} before --", spelling, needed),
                           fmt::format("usage: {} {}", spelling, row.value_name));
}

diag::Result<void> Parser::take_option(const OptionRow& row, const std::string& spelling) {
  if (row.option == Option::interval && given(Command::report)) return interval_of_report();
  words_.options.push_back({.row = &row, .spelling = spelling, .value = {}});
  if (!row.takes_word()) {
    options_.take_flag(row.option);
    return {};
  }
  const bool is_last = next_ >= arguments_.size();
  // An empty name of a function would match nothing.
  const bool may_be_empty = is_of_windowsperf(row.option) && row.option != Option::symbol;
  if (is_last || (arguments_[next_].empty() && !may_be_empty)) {
    return diag::usage_error(fmt::format("{} has {} value", spelling, is_last ? "no" : "an empty"),
                             fmt::format("usage: {} {}", spelling, row.value_name));
  }
  if (arguments_[next_] == kSides) return no_value_before_dashes(row, spelling);
  words_.options.back().value = arguments_[next_];
  auto taken = options_.take_value(row.option, spelling, arguments_[next_++]);
  if (taken.has_value() || is_of_windowsperf(row.option)) return taken;
  // Some values are parsed like values of WindowsPerf's options, for which errors have another exit status.
  diag::Error error = std::move(taken).error();
  if (row.option == Option::export_format && given(Command::stat))
    error = request::parse_export_format(words_.options.back().value, true).error();
  error.code = diag::ExitCode::usage;
  return error;
}

// "--brief=2048".
diag::Result<void> Parser::take_attached(const OptionRow& row, const std::string& spelling, const std::string& value) {
  words_.options.push_back({.row = &row, .spelling = spelling, .value = value});
  return options_.take_value(row.option, spelling, value);
}

void Parser::finish() {
  for (const Command command : kPriority) {
    if (given(command) && request_.command == Command::none) request_.command = command;
  }
  // The default device (WPERF_DEVICE) is for measurements.
  const bool names_device =
      std::ranges::any_of(words_.options, [](const GivenOption& one) { return one.row->option == Option::device; });
  if (request_.command == Command::machine && !names_device) request_.device.clear();
  warn_of_idle_words(words_, request_);
  if (request_.outputs.json_file == "-") {  // --export is written to stdout anyway
    request_.outputs.json_file.reset();
    if (!request_.recording.export_format.has_value()) request_.outputs.json = request_.outputs.quiet = true;
  }
  if (request_.outputs.brief.has_value() && request_.outputs.json) {
    request_.outputs.brief->as_json = true;
    request_.outputs.brief->as_markdown = request_.outputs.json = false;
  }
  if (given(Command::help)) request_.help_topic = first_command_;
  if (request_.timeline.enabled && !request_.timeout.has_value()) request_.timeout = request::Duration{1000};
  if (request_.pe_file.has_value() && !request_.program.has_value() && spawns()) {
    request_.program = request::Program{*request_.pe_file, os::join_command_line({&*request_.pe_file, 1}), false};
  }
}

diag::Result<void> check_for_compilers(const request::Sampling& sampling) {
  const bool has_events = !sampling.events.empty() || sampling.spe.has_value();
  if (!has_events && !sampling.call_stacks.wanted()) return {};
  const bool has_python = sampling.call_stacks.python != request::PythonFrames::none;
  return diag::usage_error(
      fmt::format("--pgo chooses what to record by itself; {} cannot be used with it", has_events   ? "-e"
                                                                                       : has_python ? "--python"
                                                                                                    : "-g"),
      "leave out one of the two; `wperf pgo` takes any recording");
}

// --branches has one table, with fewer options than the tables of samples.
diag::Result<void> check_branches(const Request& request) {
  const request::RecordingView& view = request.recording;
  const request::SampleDisplay& display = request.sampling.display;
  const bool sorts = std::any_of(view.sort.begin(), view.sort.end(), [](request::SortBy key) {
    return key != request::SortBy::symbol && key != request::SortBy::line;
  });
  const std::pair<const char*, bool> others[] = {
      {"--tree", view.tree},
      {"--callers", view.callers},
      {"--callees", view.callees},
      {"--children", view.children},
      {"--inline", view.inlined},
      {"--latency", view.needs_switches()},
      {"--annotate", display.annotate},
      {"--mem", display.memory},
      {"--by", !display.by.empty()},
      {"--timeline", display.timeline_ms.has_value()},
      {"--sort with keys other than symbol and line", sorts},
  };
  for (const auto& [option, is_given] : others) {
    if (!is_given) continue;
    return diag::usage_error(
        fmt::format("--branches shows pairs of functions or lines, and does not support {}", option),
        "leave out one of the two; `--branches --sort line` shows lines");
  }
  return {};
}

// Refuses several outputs of a recording if only one of them would be written.
diag::Result<void> check_outputs(const Request& request) {
  const Command command = request.command;
  if (command != Command::report && command != Command::sample && command != Command::record &&
      command != Command::waits)
    return {};
  const request::RecordingView& view = request.recording;
  const bool exports = command == Command::report && view.export_format.has_value();
  const std::pair<const char*, bool> outputs[] = {
      {"--records", request.sampling.records_file.has_value()},
      {"--export", exports},
      {view.html_file.has_value() ? "--html" : "--svg", view.wants_page()},
      {"--folded", view.folded},
      {"--branches", view.branches},
      {"--brief", request.outputs.brief.has_value()},
  };
  const char* first = nullptr;
  for (const auto& [option, is_given] : outputs) {
    if (is_given && first != nullptr) {
      return diag::usage_error(
          fmt::format("{} and {} cannot be combined: a report has one output format", first, option),
          "report the recording twice, once in each format");
    }
    if (is_given) first = option;
  }
  if (view.branches) WPERF_CHECK_OK(check_branches(request));
  if (request.outputs.json && (exports || view.wants_page())) {
    return diag::usage_error(fmt::format("{} and --json cannot be combined: a report has one output format", first),
                             "report the recording twice, once in each format");
  }
  return {};
}

}  // namespace

diag::Result<void> check_command(const Request& request) {
  if (request.command == Command::stat && request.timeline.enabled && request.outputs.brief.has_value()) {
    return diag::usage_error("--brief and -t cannot be combined: a brief has one count, and -t makes many",
                             "leave out one of the two");
  }
  if (request.sampling.for_compilers) WPERF_CHECK_OK(check_for_compilers(request.sampling));
  if (request.recording.html_all && !request.recording.html_file.has_value()) {
    return diag::usage_error("--html-all needs --html", "--html page.html --html-all");
  }
  if (request.command != Command::none) return check_outputs(request);
  for (const std::string& word : request.unexpected) {
    if (!word.starts_with('-')) return unknown_command(word);
  }
  if (request.force_lock && request.unexpected.empty()) return {};
  return no_command();
}

diag::Result<Request> parse_command_line(std::span<const std::string> arguments, FileExists file_exists,
                                         const std::string& device) {
  return Parser(arguments, file_exists, device).run();
}

}  // namespace wperf::cli
