// SPDX-License-Identifier: BSD-3-Clause
#include "app/cli/options.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "app/cli/command_line.h"
#include "app/cli/help.h"
#include "app/commands/commands.h"
#include "views/schemas/schemas.h"

namespace wperf::cli {
namespace {

using request::Command;

// The words as a shell passes them. No example has a blank in quotes.
std::vector<std::string> words_of(std::string_view line) {
  std::vector<std::string> words;
  while (!line.empty()) {
    const usize blank = line.find(' ');
    std::erase(words.emplace_back(line.substr(0, blank)), '\'');
    line.remove_prefix(blank == std::string_view::npos ? line.size() : blank + 1);
  }
  return words;
}

TEST(Options, EverySpellingIsUnique) {
  std::set<std::string_view> seen;
  const auto add = [&](std::string_view word) {
    if (word.empty()) return;
    EXPECT_TRUE(seen.insert(word).second) << word;
  };
  for (const CommandRow& row : command_rows()) {
    add(row.name);
    add(row.alias);
  }
  for (const OptionRow& row : option_rows()) {
    add(row.name);
    add(row.alias);
  }
}

TEST(Options, EveryRowIsWhole) {
  for (const OptionRow& row : option_rows()) {
    EXPECT_EQ(row.value == Value::none, row.value_name.empty()) << row.name;
    EXPECT_EQ(row.help.back(), '.') << row.name;
    bool used = false;
    for (const CommandRow& command : command_rows()) used = used || row.commands.has(command.command);
    EXPECT_TRUE(used) << row.name << " belongs to no command";
  }
  for (const CommandRow& row : command_rows()) {
    EXPECT_EQ(row.help.back(), '.') << row.name;
    EXPECT_EQ(row_of(row.command).name, row.name);
  }
}

TEST(Options, EveryCommandRuns) {
  for (const CommandRow& row : command_rows()) {
    // These commands are handled by the command line code.
    if (row.command == Command::help || row.command == Command::guide || row.command == Command::mcp) continue;
    const commands::CommandRow& runs = commands::row_of(row.command);
    EXPECT_EQ(runs.command, row.command) << row.name;
    const CommandSet without =
        Command::report | Command::push | Command::pgo | Command::diff | Command::machine | Command::schema;
    EXPECT_EQ(runs.needs_device, !without.has(row.command)) << row.name;
  }
}

// The first word of a command line.
std::string_view command_of(std::string_view line) {
  return line.substr(0, line.find(' '));
}

TEST(Options, EveryDocumentHasASchema) {
  const OptionRow& json = *find_option("--json");
  for (const CommandRow& row : command_rows()) {
    bool has_schema = false;
    for (const schemas::Schema& schema : schemas::all()) {
      for (const std::string_view line : schemas::printed_by(schema)) has_schema |= command_of(line) == row.name;
    }
    EXPECT_EQ(has_schema, json.commands.has(row.command)) << row.name << " has --json but no file in data/schemas";
  }
}

TEST(Options, TheParserUnderstandsTheLinesOfSchemas) {
  for (const schemas::Schema& schema : schemas::all()) {
    for (const std::string_view line : schemas::printed_by(schema)) {
      const auto request = parse_command_line(words_of(line), nullptr);
      ASSERT_TRUE(request.has_value()) << line;
      EXPECT_TRUE(request.value().unexpected.empty()) << line;
      EXPECT_EQ(request.value().warnings, std::vector<std::string>()) << line;
      EXPECT_EQ(request.value().command, find_command(command_of(line))->command) << line;
      const request::Outputs& outputs = request.value().outputs;
      EXPECT_TRUE(outputs.json || (outputs.brief.has_value() && outputs.brief->as_json)) << line;
    }
  }
}

TEST(Options, OnlyMeasurementsOutliveCtrlC) {
  const auto measures = [](Command command, bool selftest = false, const char* file = nullptr) {
    request::Request request;
    request.command = command;
    request.doctor.selftest = selftest;
    if (file != nullptr) request.data_file = file;
    return commands::measures(request);
  };
  for (const Command command : {Command::stat, Command::sample, Command::record, Command::top, Command::topdown,
                                Command::bench, Command::waits})
    EXPECT_TRUE(measures(command));
  for (const Command command :
       {Command::report, Command::diff, Command::push, Command::list, Command::man, Command::test, Command::detect,
        Command::version, Command::doctor, Command::schema, Command::none})
    EXPECT_FALSE(measures(command));
  EXPECT_FALSE(measures(Command::waits, false, "perf.data"));
  EXPECT_TRUE(measures(Command::doctor, true));
}

TEST(Options, TheParserKnowsEveryRow) {
  for (const OptionRow& row : option_rows()) {
    for (const std::string_view spelling : {row.name, row.alias}) {
      if (spelling.empty()) continue;
      std::vector<std::string> line = {"stat", std::string(spelling)};
      const std::string_view words = value_words(row.option);
      if (row.takes_word())
        line.emplace_back(row.option == Option::time         ? "1-"
                          : row.option == Option::fail_if    ? "a>1%"
                          : row.option == Option::push_label ? "name=value"
                          : row.option == Option::every      ? "1s"
                          : !words.empty()                   ? words.substr(0, words.find(' '))
                                                             : "1");
      const auto request = parse_command_line(line, nullptr);
      ASSERT_TRUE(request.has_value()) << spelling << ": " << request.error().text;
      EXPECT_TRUE(request.value().unexpected.empty()) << spelling;
    }
  }
}

TEST(Options, TheParserUnderstandsEveryExample) {
  for (const Example& example : examples()) {
    std::vector<std::string> words = words_of(example.line);
    ASSERT_EQ(words.front(), "wperf");
    words.erase(words.begin());
    const auto request = parse_command_line(words, nullptr);
    ASSERT_TRUE(request.has_value()) << example.line << ": " << request.error().text;
    EXPECT_TRUE(request.value().unexpected.empty()) << example.line;
    EXPECT_TRUE(request.value().warnings.empty()) << example.line;
    EXPECT_EQ(request.value().command, example.command) << example.line;
    for (const std::string& word : words) {  // its options must belong to its command
      if (word == "--") break;
      const OptionRow* row = find_option(word);
      EXPECT_TRUE(row == nullptr || row->commands.has(example.command)) << example.line << ": " << word;
    }
  }
}

TEST(Help, Sections) {
  const std::string help = render_help();
  usize last = 0;
  for (const char* section : {"NAME:\n", "SYNOPSIS:\n", "OPTIONS:\n", "OPTIONS aliases:\n", "EXAMPLES:\n"}) {
    const usize place = help.find(section);
    ASSERT_NE(place, std::string::npos) << section;
    EXPECT_GE(place, last) << section;
    last = place;
  }
  for (const char* line : {"wperf stat ", "wperf record ", "wperf sample ", "wperf list ", "wperf test ",
                           "wperf detect ", "wperf man ", "wperf doctor "}) {
    EXPECT_NE(help.find(line), std::string::npos) << line;
  }
}

TEST(Help, EveryOptionNameEndsItsLine) {
  const std::string help = render_help();
  for (const char* name : {"-h, --help",
                           "--version",
                           "-v, --verbose",
                           "-q",
                           "-e",
                           "-m",
                           "--timeout",
                           "-t",
                           "-i",
                           "-n",
                           "--annotate",
                           "--disassemble",
                           "--image_name",
                           "--pe_file",
                           "--pdb_file",
                           "--sample-display-long",
                           "--sample-display-row",
                           "--record_spawn_delay",
                           "--force-lock",
                           "-c, --cpu",
                           "-k",
                           "--dmc",
                           "-C",
                           "-E",
                           "--json",
                           "--output, -o",
                           "--output-csv",
                           "--config",
                           "--output-prefix, --cwd",
                           "--device",
                           "--symbol",
                           "--cores",
                           "--all-cores",
                           "--jitter",
                           "--freq",
                           "--by",
                           "--timeline",
                           "--symbol-path",
                           "--export_perf_data",
                           "sleep",
                           "-s",
                           "-l"}) {
    EXPECT_NE(help.find("\n    " + std::string(name) + "\n"), std::string::npos) << name;
  }
}

TEST(Help, LinesFitATerminal) {
  std::string help = render_help();
  for (usize start = 0; start < help.size();) {
    const usize end = help.find('\n', start);
    EXPECT_LE(end - start, 80u) << help.substr(start, end - start);
    start = end + 1;
  }
}

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const usize end = text.find('\n');
    lines.push_back(text.substr(0, end));
    text.remove_prefix(end + 1);
  }
  return lines;
}

TEST(Help, TheOverviewFitsAScreen) {
  for (const bool linux_device : {false, true}) {
    const std::string overview = render_overview(linux_device);
    const auto lines = lines_of(overview);
    EXPECT_LE(lines.size(), 36u);  // the header and "Use --help for help." come before it
    for (const std::string_view line : lines) EXPECT_LE(line.size(), 80u) << line;
    for (const CommandRow& row : command_rows()) {
      if (row.command == Command::help) continue;
      EXPECT_NE(overview.find("\n  " + std::string(row.name) + " "), std::string::npos) << row.name;
    }
    for (const std::string_view example : overview_examples(linux_device)) {
      std::vector<std::string> words = words_of(example);
      words.erase(words.begin());
      const auto request = parse_command_line(words, nullptr, linux_device ? "linux" : "driver");
      ASSERT_TRUE(request.has_value()) << example << ": " << request.error().text;
      EXPECT_TRUE(request.value().unexpected.empty()) << example;
      EXPECT_TRUE(check_command(request.value()).has_value()) << example;
    }
  }
}

TEST(Help, ACommandAlone) {
  for (const CommandRow& command : command_rows()) {
    const std::string help = render_command_help(command);
    EXPECT_TRUE(help.starts_with("wperf " + std::string(command.name))) << help;
    for (const std::string_view line : lines_of(help)) EXPECT_LE(line.size(), 80u) << line;
    for (const OptionRow& row : option_rows()) {
      const bool shown = help.find("\n    " + shown_name(row)) != std::string::npos;
      EXPECT_TRUE(shown || !row.commands.has(command.command)) << command.name << " " << row.name;
    }
  }
  const std::string record = render_command_help(row_of(Command::record));
  usize last = 0;
  for (const char* heading : {"\nExamples:\n", "\nWhat to measure:\n", "\nHow long:\n", "\nWhat to show:\n",
                              "\nWhere names come from:\n", "\nOutput:\n", "\nMachine:\n"}) {
    const usize place = record.find(heading);
    ASSERT_NE(place, std::string::npos) << heading;
    EXPECT_GT(place, last) << heading;
    last = place;
  }
  EXPECT_EQ(record.find("\n    --dmc"), std::string::npos);  // only for stat
}

TEST(Help, ExamplesForTheDeviceComeFirst) {
  const std::string here = render_command_help(row_of(Command::record), "linux");
  const std::string there = render_command_help(row_of(Command::record), "sim:pace=free");
  EXPECT_NE(here.find("Examples:\n    wperf record -g --tree -- ./program\n"), std::string::npos) << here;
  EXPECT_NE(there.find("Examples:\n    wperf record -e ld_spec:100000 "), std::string::npos) << there;
}

TEST(Help, OptionsAreExplainedForTheirCommand) {
  const auto told = [](const char* option, Command command) {
    return std::string(help_for(*find_option(option), command, "linux"));
  };
  EXPECT_EQ(
      told("-o", Command::record),
      "FILE.data keeps the recording for `wperf report`; another name gets the report as JSON. -o - means --json.");
  EXPECT_EQ(told("-o", Command::pgo).find("Write the profile to FILE"), 0u);
  EXPECT_EQ(told("-c", Command::record).find("machine run"), std::string::npos);
  EXPECT_EQ(told("-c", Command::stat).find("sample"), std::string::npos);
  for (const OptionRow& row : option_rows()) {
    for (const char* count : {"next four", "next five", "next seven"})
      EXPECT_EQ(row.help.find(count), std::string_view::npos) << row.name;
  }
}

// The help text without line breaks, because an entry is wrapped.
std::string help_of_events(Command command) {
  const OptionRow* const row = find_option("-e");
  return row == nullptr ? "" : std::string(help_for(*row, command));
}

TEST(Help, EventsAreThoseOfTheCommand) {
  for (const Command command : {Command::stat, Command::test, Command::bench}) {
    EXPECT_EQ(help_of_events(command).find("INTERVAL"), std::string::npos) << row_of(command).name;
    EXPECT_EQ(help_of_events(command).find("sampled"), std::string::npos) << row_of(command).name;
  }
  EXPECT_NE(help_of_events(Command::stat).find("groups in braces"), std::string::npos);
  EXPECT_NE(help_of_events(Command::record).find("one sample in 0x8000000"), std::string::npos);
  EXPECT_NE(help_of_events(Command::record).find("4000 samples"), std::string::npos);
  EXPECT_EQ(help_of_events(Command::top).find("arm_spe"), std::string::npos) << "top shows no SPE";
  const auto of_device = [](std::string_view device) {
    return std::string(help_for(*find_option("-e"), Command::record, device));
  };
  EXPECT_NE(of_device("sim:pace=free").find("one sample in 24000."), std::string::npos);
  EXPECT_EQ(of_device("sim").find("linux"), std::string::npos);
  EXPECT_EQ(of_device("sim").find("0x8000000"), std::string::npos);
  EXPECT_NE(of_device("driver").find("one sample in 0x8000000."), std::string::npos);
  EXPECT_NE(of_device("linux").find("4000 samples"), std::string::npos);
  EXPECT_EQ(of_device("linux").find("driver"), std::string::npos);
  EXPECT_NE(of_device("etw").find("the timer"), std::string::npos);
  EXPECT_EQ(of_device("another"), help_of_events(Command::record));
  const std::string help = render_command_help(row_of(Command::top));
  std::string words;
  for (const std::string_view line : lines_of(help)) {
    words.append(line.substr(std::min(line.find_first_not_of(' '), line.size()))).append(" ");
  }
  EXPECT_NE(words.find("a driver 1000"), std::string::npos) << words;
  EXPECT_EQ(words.find("groups in braces"), std::string::npos) << words;
}

}  // namespace
}  // namespace wperf::cli
