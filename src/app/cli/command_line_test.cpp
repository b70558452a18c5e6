// SPDX-License-Identifier: BSD-3-Clause
// Long because each option has its cases here.
#include "app/cli/command_line.h"

#include <gtest/gtest.h>

#include "ground/diag/names_all_test.h"

namespace wperf::cli {
namespace {

using request::Command;
using request::EventList;
using request::MetricName;
using request::Request;
using Words = std::vector<std::string>;

diag::Result<Request> parse(std::vector<std::string> arguments, FileExists file_exists = nullptr) {
  return parse_command_line(arguments, file_exists);
}

Request parsed(std::vector<std::string> arguments) {
  auto result = parse(std::move(arguments));
  EXPECT_TRUE(result.has_value()) << (result.has_value() ? "" : result.error().text);
  return result.has_value() ? std::move(result).value() : Request{};
}

std::string error_of(std::vector<std::string> arguments, FileExists file_exists = nullptr) {
  const auto result = parse(std::move(arguments), file_exists);
  return result.has_value() ? "no error" : result.error().text;
}

TEST(CommandLine, Nothing) {
  const Request request = parsed({});
  EXPECT_EQ(request.command, Command::none);
  EXPECT_TRUE(request.unexpected.empty());
}

TEST(CommandLine, EveryCommandWord) {
  EXPECT_EQ(parsed({"stat"}).command, Command::stat);
  EXPECT_EQ(parsed({"sample"}).command, Command::sample);
  EXPECT_EQ(parsed({"record"}).command, Command::record);
  EXPECT_EQ(parsed({"list"}).command, Command::list);
  EXPECT_EQ(parsed({"-l"}).command, Command::list);
  EXPECT_EQ(parsed({"test"}).command, Command::test);
  EXPECT_EQ(parsed({"man"}).command, Command::man);
  EXPECT_EQ(parsed({"detect"}).command, Command::detect);
  EXPECT_EQ(parsed({"doctor"}).command, Command::doctor);
  EXPECT_EQ(parsed({"--version"}).command, Command::version);
  EXPECT_EQ(parsed({"-h"}).command, Command::help);
  EXPECT_EQ(parsed({"--help"}).command, Command::help);
}

TEST(CommandLine, OfSeveralCommandsTheFirstInRankRuns) {
  EXPECT_EQ(parsed({"stat", "list"}).command, Command::list);
  EXPECT_EQ(parsed({"list", "test"}).command, Command::test);
  EXPECT_EQ(parsed({"test", "--version"}).command, Command::version);
  EXPECT_EQ(parsed({"--version", "man", "ipc"}).command, Command::man);
  EXPECT_EQ(parsed({"man", "ipc", "-h"}).command, Command::help);
  EXPECT_EQ(parsed({"-h", "detect"}).command, Command::help);
  EXPECT_EQ(parsed({"record", "stat"}).command, Command::stat);
}

TEST(CommandLine, TokensAreExact) {
  const Request request = parsed({"stat", "-E=x:1", "--Timeout", "-vq", "STAT", "--json=1", "---", ""});
  EXPECT_EQ(request.unexpected,
            (std::vector<std::string>{"-E=x:1", "--Timeout", "-vq", "STAT", "--json=1", "---", ""}));
  EXPECT_EQ(request.command, Command::stat);
}

TEST(CommandLine, AnOptionAtTheEndWithoutItsValueIsRefused) {
  for (const char* option :
       {"-e", "-m", "-c", "--cpu", "--timeout", "sleep", "-i", "-n", "--dmc", "-C", "-E", "--config", "--output", "-o",
        "--output-csv", "--cwd", "--pe_file", "--device", "--record_spawn_delay"}) {
    EXPECT_EQ(error_of({"stat", option}), std::string(option) + " has no value");
  }
  EXPECT_TRUE(diag::names_all(parse({"stat", "sleep"}).error().hint, {"sleep DURATION"}));
}

TEST(CommandLine, NoOptionSwallowsTheDashesBeforeTheProgram) {
  EXPECT_EQ(error_of({"record", "-o", "--", "./hot"}), "-o needs a file name before --");
  EXPECT_EQ(error_of({"record", "--svg", "--", "./hot"}), "--svg needs a file name before --");
  EXPECT_EQ(error_of({"record", "-p", "--", "./hot"}), "-p needs a number before --");
  EXPECT_EQ(error_of({"record", "-s", "--", "./hot"}), "-s needs a value before --");
  EXPECT_EQ(parse({"record", "-o", "--", "./hot"}).error().hint, "usage: -o FILE");
}

TEST(CommandLine, SomeOptionsMayHaveOneDash) {
  const auto exists = [](const std::string&) { return true; };
  const auto request = parse({"sample", "-pe_file", "a.exe", "-pdb_file", "a.pdb", "-image_name", "b.exe"}, exists);
  ASSERT_TRUE(request.has_value());
  EXPECT_TRUE(request.value().unexpected.empty());
  EXPECT_EQ(request.value().pe_file, "a.exe");
  EXPECT_EQ(request.value().pdb_file, "a.pdb");
  EXPECT_EQ(request.value().image_name, "b.exe");
}

TEST(CommandLine, PathsOfWindowsAreFoundOnOtherSystems) {
  const auto exists = [](const std::string& path) { return path == "sub/a.exe" || path == "sub/a.pdb"; };
  const Request started = parse({"stat", "--", "sub\\a.exe", "b\\c"}, exists).value();
  EXPECT_EQ(started.program->path, "sub/a.exe");
  EXPECT_EQ(started.program->command_line, "sub\\a.exe b\\c");
  EXPECT_EQ(started.pe_file, "sub/a.exe");
  const Request named = parse({"sample", "--pe_file", "sub\\a.exe", "--pdb_file", "sub\\a.pdb"}, exists).value();
  EXPECT_EQ(named.pe_file, "sub/a.exe");
  EXPECT_EQ(named.pdb_file, "sub/a.pdb");
  EXPECT_EQ(error_of({"sample", "--pe_file", "sub\\b.exe"}, exists), "PE file 'sub\\b.exe' doesn't exist");
  const Words linux_line{"stat", "--", "sub\\a.exe"};
  EXPECT_EQ(parse_command_line(linux_line, exists, kLinuxDevice).value().program->path, "sub\\a.exe");
}

TEST(CommandLine, NamesStandBetweenCommas) {
  EXPECT_TRUE(diag::names_all(error_of({"stat", "-e", "inst_spec,"}), {"missing", "'inst_spec,'"}));
  EXPECT_TRUE(diag::names_all(error_of({"record", "-e", "inst_spec:10,"}), {"missing", "'inst_spec:10,'"}));
  EXPECT_TRUE(diag::names_all(error_of({"stat", "-m", "imix,"}), {"missing", "'imix,'"}));
}

TEST(CommandLine, OptionsTakeTheNextTokenWhateverItIs) {
  const Request request = parsed({"stat", "-o", "--json", "-C", "-k"});
  EXPECT_EQ(request.outputs.json_file, "--json");
  EXPECT_EQ(request.metric_files, (std::vector<std::string>{"-k"}));
  EXPECT_FALSE(request.outputs.json);
  EXPECT_FALSE(request.kernel);
}

TEST(CommandLine, ManTakesTheNextToken) {
  EXPECT_FALSE(parsed({"man"}).man_topic.has_value());
  EXPECT_EQ(parsed({"man", "neoverse-n1/ipc"}).man_topic, "neoverse-n1/ipc");
  EXPECT_FALSE(parsed({"man", "--json"}).man_topic.has_value());
  EXPECT_EQ(parsed({"man", "--device", "sim", "ipc"}).man_topic, "ipc");
  EXPECT_TRUE(parsed({"man", "--json", "ipc"}).outputs.json);
  EXPECT_EQ(parsed({"man", "ipc", "more"}).unexpected, std::vector<std::string>{"more"});
  const Request request = parsed({"--json", "man", "list"});
  EXPECT_EQ(request.command, Command::man);
  EXPECT_EQ(request.man_topic, "list");
  EXPECT_TRUE(request.outputs.json);
}

TEST(CommandLine, SchemaTakesTheNextWordAlsoOfACommand) {
  EXPECT_FALSE(parsed({"schema"}).schema_name.has_value());
  EXPECT_EQ(parsed({"schema", "stat"}).schema_name, "stat");
  EXPECT_EQ(parsed({"schema", "stat"}).command, Command::schema);
  EXPECT_EQ(parsed({"schema", "--no-pager", "report"}).schema_name, "report");
  EXPECT_EQ(parsed({"schema", "stat", "more"}).unexpected, std::vector<std::string>{"more"});
  EXPECT_EQ(parsed({"schema", "--help"}).help_topic, Command::schema);
  EXPECT_EQ(parsed({"help", "schema"}).help_topic, Command::schema);
}

TEST(CommandLine, EventsAndMetricsKeepTheirOrder) {
  const Request request = parsed({"stat", "-e", "a,{b,c}", "-m", "imix,dcache", "-e", "d"});
  ASSERT_EQ(request.items.size(), 4u);
  EXPECT_EQ(std::get<EventList>(request.items[0]).tokens.size(), 3u);
  EXPECT_EQ(std::get<MetricName>(request.items[1]).name, "imix");
  EXPECT_EQ(std::get<MetricName>(request.items[2]).name, "dcache");
  EXPECT_EQ(std::get<EventList>(request.items[3]).tokens[0].text, "d");
}

TEST(CommandLine, EventsAfterSampleOrRecordAreASamplingList) {
  EXPECT_EQ(parsed({"-e", "ld_spec", "sample"}).items.size(), 1u);
  const Request sampled = parsed({"sample", "-e", "ld_spec:100000,r1b", "-e", "st_spec"});
  EXPECT_TRUE(sampled.items.empty());
  ASSERT_EQ(sampled.sampling.events.size(), 3u);
  EXPECT_EQ(sampled.sampling.events[0].interval, 100'000u);
  EXPECT_EQ(sampled.sampling.events[1].number, 0x1bu);
  EXPECT_EQ(sampled.sampling.events[2].text, "st_spec");
  EXPECT_FALSE(sampled.sampling.spe.has_value());
  const Request spe = parsed({"record", "-e", "arm_spe_0/ld=1/"});
  EXPECT_TRUE(spe.items.empty());
  EXPECT_TRUE(spe.sampling.events.empty());
  ASSERT_TRUE(spe.sampling.spe.has_value());
  EXPECT_EQ(spe.sampling.spe->filters.size(), 1u);
  EXPECT_EQ(error_of({"-e", "{a", "sample"}), "missing '}' for event group {a");
}

TEST(CommandLine, EventListErrorsEndTheRun) {
  EXPECT_EQ(error_of({"stat", "-e", "{a,{b}"}), "nested group is not supported {b}");
  EXPECT_EQ(error_of({"stat", "-e", "a}"}), "missing '{' for event group a}");
  EXPECT_EQ(error_of({"stat", "-e", "0x10000"}), "extra event value out of range in 0x10000");
}

TEST(CommandLine, Cores) {
  const Request request = parsed({"stat", "-c", "1", "--cpu", "0,3-2"});
  ASSERT_EQ(request.cores.size(), 2u);
  EXPECT_EQ(request.cores[1].first, 2u);
  EXPECT_EQ(request.cores[1].last, 3u);
  EXPECT_EQ(error_of({"stat", "-c", "x"}),
            "option -c format not supported, use comma separated list of integers, or range of integers");
}

TEST(CommandLine, DurationsNameTheSpellingUsed) {
  EXPECT_EQ(parsed({"stat", "--timeout", "0.1s"}).timeout->milliseconds, 100u);
  EXPECT_EQ(parsed({"stat", "sleep", "1"}).timeout->milliseconds, 1000u);
  EXPECT_FALSE(parsed({"stat"}).timeout.has_value());
  EXPECT_EQ(error_of({"stat", "--timeout", "01"}), "input: \"01\" to argument '--timeout' is invalid");
  EXPECT_EQ(error_of({"stat", "sleep", "-1"}), "input: \"-1\" to argument 'sleep' is invalid");
  EXPECT_EQ(error_of({"stat", "-i", ""}), "input: \"\" to argument '-i' is invalid");
}

TEST(CommandLine, Timeline) {
  const Request plain = parsed({"stat", "-i", "2", "-n", "3"});
  EXPECT_FALSE(plain.timeline.enabled);
  EXPECT_FALSE(plain.timeout.has_value());
  const Request defaults = parsed({"stat", "-t"});
  EXPECT_TRUE(defaults.timeline.enabled);
  EXPECT_EQ(defaults.timeline.interval.milliseconds, 60'000u);
  EXPECT_EQ(defaults.timeout->milliseconds, 1000u);
  EXPECT_EQ(defaults.timeline.count, 0u);
  for (const auto& line : {std::vector<std::string>{"stat", "-t", "-i", "2.2", "-n", "3", "--timeout", "0.1"},
                           std::vector<std::string>{"stat", "-n", "3", "--timeout", "0.1", "-i", "2.2", "-t"}}) {
    const Request request = parsed(line);
    EXPECT_EQ(request.timeline.interval.milliseconds, 2200u);
    EXPECT_EQ(request.timeline.count, 3u);
    EXPECT_EQ(request.timeout->milliseconds, 100u);
  }
  EXPECT_TRUE(plain.warnings.empty());
  EXPECT_EQ(
      parsed({"stat", "-n", "3", "--", "a"}).warnings,
      (std::vector<std::string>{"warning: -n is for timelines (-t) and has no effect here; -r 3 repeats the program"}));
  for (const auto& line : {std::vector<std::string>{"stat", "-t", "-n", "3", "--", "a"},
                           std::vector<std::string>{"stat", "-n", "3", "--json", "--", "a"},
                           std::vector<std::string>{"stat", "-n", "3", "-q", "--", "a"},
                           std::vector<std::string>{"bench", "-n", "4", "--", "a", "---", "b"}}) {
    EXPECT_TRUE(parsed(line).warnings.empty());
  }
  EXPECT_EQ(parsed({"stat", "-t", "-n", "0"}).timeline.count, 0u);
  for (const char* bad : {"abc", "-1", "99999999999999999999", "4294967296", "", "1.5", "0x5"}) {
    EXPECT_TRUE(diag::names_all(error_of({"stat", "-t", "-n", bad}), {"'" + std::string(bad) + "'", "-n"}));
  }
  EXPECT_EQ(parsed({"stat", "-t", "--timeout", "0"}).timeout->milliseconds, 0u);
}

TEST(CommandLine, Outputs) {
  const Request request =
      parsed({"list", "--json", "-v", "-o", "a.json", "--output-csv", "a.csv", "--output-prefix", "folder"});
  EXPECT_TRUE(request.outputs.json);
  EXPECT_TRUE(request.outputs.quiet);
  EXPECT_TRUE(request.outputs.verbose);
  EXPECT_EQ(request.outputs.json_file, "a.json");
  EXPECT_EQ(request.outputs.csv_file, "a.csv");
  EXPECT_EQ(request.outputs.directory, "folder");
  EXPECT_EQ(parsed({"list", "--output", "b", "--cwd", "c"}).outputs.json_file, "b");
  const Request quiet = parsed({"list", "-q"});
  EXPECT_TRUE(quiet.outputs.quiet);
  EXPECT_FALSE(quiet.outputs.json);
}

TEST(CommandLine, Settings) {
  const Request request = parsed({"test", "--config", "count.period=13"});
  ASSERT_EQ(request.config.size(), 1u);
  EXPECT_EQ(request.config[0].value, "13");
  EXPECT_TRUE(request.warnings.empty());
  for (const char* bad : {"count.period_max=5", "x=1", "", "="}) {
    const Request refused = parsed({"test", "--config", bad});
    EXPECT_TRUE(refused.config.empty()) << bad;
    EXPECT_EQ(refused.warnings, (std::vector<std::string>{"error: can't set '" + std::string(bad) + "' config"}));
  }
  EXPECT_EQ(parsed({"test", "--config", "count.period=10", "--config", "count.period=100"}).config.size(), 2u);
  for (const char* bad :
       {"count.period=abc", "count.period", "count.period=", "count.period=4294967296", "count.period=1.5",
        "count.period=0", "count.period=5", "count.period=9", "count.period=101", "count.period=-20"}) {
    const Request refused = parsed({"test", "--config", bad});
    EXPECT_TRUE(refused.config.empty()) << bad;
    EXPECT_EQ(refused.warnings, (std::vector<std::string>{"error: can't set '" + std::string(bad) +
                                                          "' config, it takes 10 to 100 milliseconds"}));
  }
}

TEST(CommandLine, AProgramTakesTheRestOfTheLine) {
  const Request request =
      parsed({"stat", "-e", "a", "-c", "1", "--", "python", "-E", "x.py", "-C", "--json", "--", "a b"});
  ASSERT_TRUE(request.program.has_value());
  EXPECT_EQ(request.program->path, "python");
  EXPECT_EQ(request.program->command_line, "python -E x.py -C --json -- \"a b\"");
  EXPECT_TRUE(request.program->after_dashes);
  EXPECT_TRUE(request.extra_events.empty());
  EXPECT_TRUE(request.metric_files.empty());
  EXPECT_FALSE(request.outputs.json);
  EXPECT_TRUE(request.unexpected.empty());
}

TEST(CommandLine, ProgramsWithoutACommandThatStartsThem) {
  for (const char* command : {"list", "sample", "test"}) {
    const Request request = parsed({command, "--", "p.exe"});
    EXPECT_FALSE(request.program.has_value());
    EXPECT_EQ(request.warnings, (std::vector<std::string>{"warning: only `stat` and `record` support process spawn!"}));
  }
  for (const char* command : {"stat", "record"}) {
    EXPECT_TRUE(diag::names_all(error_of({command, "--"}), {"no program", "--"}));
    EXPECT_TRUE(diag::names_all(error_of({command, "--pe_file", "p.exe", "--"}), {"no program", "--"}));
  }
}

TEST(CommandLine, PeFileStartsAProgramToo) {
  const Request request = parsed({"stat", "--pe_file", "p.exe"});
  ASSERT_TRUE(request.program.has_value());
  EXPECT_EQ(request.program->command_line, "p.exe");
  EXPECT_FALSE(request.program->after_dashes);
  const Request replaced = parsed({"record", "--pe_file", "p.exe", "--", "q.exe", "1"});
  EXPECT_EQ(replaced.pe_file, "q.exe");
  EXPECT_EQ(replaced.program->path, "q.exe");
  EXPECT_FALSE(parsed({"sample", "--pe_file", "p.exe"}).program.has_value());
}

bool only_good_exists(const std::string& path) {
  return path == "good";
}

TEST(CommandLine, FilesAreCheckedFromLeftToRight) {
  EXPECT_EQ(error_of({"record", "--pe_file", "a", "--pdb_file", "b"}, only_good_exists), "PE file 'a' doesn't exist");
  EXPECT_EQ(error_of({"record", "--pdb_file", "b", "--pe_file", "a"}, only_good_exists), "PDB file 'b' doesn't exist");
  EXPECT_EQ(error_of({"record", "--pe_file", "good", "--pdb_file", "b"}, only_good_exists),
            "PDB file 'b' doesn't exist");
  EXPECT_EQ(error_of({"stat", "sleep", "x", "--pe_file", "a"}, only_good_exists),
            "input: \"x\" to argument 'sleep' is invalid");
  EXPECT_EQ(error_of({"stat", "--pe_file", "a", "sleep", "x"}, only_good_exists), "PE file 'a' doesn't exist");
  EXPECT_EQ(error_of({"stat", "--", "missing.exe"}, only_good_exists), "no error");
  EXPECT_EQ(error_of({"stat", "-o", "new", "-C", "no", "-E", "a:1"}, only_good_exists), "no error");
}

TEST(CommandLine, TheRest) {
  const Request request =
      parsed({"stat", "-k", "--dmc", "1", "--force-lock", "--device", "sim:cores=4", "--record_spawn_delay", "250",
              "--image_name", "x", "-C", "m1", "-C", "m2", "-E", "a:1"});
  EXPECT_TRUE(request.kernel);
  EXPECT_EQ(request.dmc_channel, 1u);
  EXPECT_TRUE(request.force_lock);
  EXPECT_EQ(request.device, "sim:cores=4");
  EXPECT_EQ(request.spawn_delay_ms, 250u);
  EXPECT_EQ(request.image_name, "x");
  EXPECT_EQ(request.metric_files.size(), 2u);
  EXPECT_EQ(request.extra_events.size(), 1u);
  EXPECT_EQ(parsed({"--force-lock"}).command, Command::none);
  EXPECT_TRUE(diag::names_all(error_of({"stat", "--dmc", "x"}), {"'x'", "--dmc"}));
  EXPECT_TRUE(diag::names_all(error_of({"stat", "--record_spawn_delay", "1s"}), {"'1s'", "--record_spawn_delay"}));
}

TEST(CommandLine, SamplingOptionsOfWindowsPerf) {
  const Request request =
      parsed({"record", "-e", "ld_spec:1000", "--annotate", "--sample-display-row", "5", "--symbol", "^x", "-s", "y$",
              "--sample-display-long", "--export_perf_data", "--pdb_file", "p", "-c", "1", "--", "a.exe"});
  EXPECT_TRUE(request.unexpected.empty());
  EXPECT_EQ(request.command, Command::record);
  EXPECT_EQ(request.pdb_file, "p");
  EXPECT_TRUE(request.sampling.more_pdb_files.empty());
  EXPECT_TRUE(request.sampling.perf_data);
  const request::SampleDisplay& display = request.sampling.display;
  EXPECT_EQ(request.sampling.display_rows, 5u);
  EXPECT_TRUE(display.decorated_names);
  EXPECT_TRUE(display.annotate);
  EXPECT_FALSE(display.disassemble);
  ASSERT_TRUE(display.symbol.has_value());
  EXPECT_EQ(display.symbol->text, "y");
  EXPECT_TRUE(display.symbol->open_start);
}

TEST(CommandLine, NamedPerfData) {
  const request::Sampling unnamed = parsed({"record", "--export_perf_data", "--", "a.exe"}).sampling;
  EXPECT_TRUE(unnamed.perf_data);
  EXPECT_FALSE(unnamed.perf_data_file.has_value());
  const Request request = parsed({"record", "--output-perf-data", "mine.data", "--", "a.exe"});
  EXPECT_TRUE(request.sampling.perf_data);
  EXPECT_EQ(request.sampling.perf_data_file, "mine.data");
  EXPECT_EQ(request.arguments, (std::vector<std::string>{"record", "--output-perf-data", "mine.data", "--", "a.exe"}));
}

TEST(CommandLine, SamplingDefaults) {
  const Request request = parsed({"record", "--", "a.exe"});
  EXPECT_TRUE(request.sampling.events.empty());
  EXPECT_TRUE(request.sampling.cores.empty());
  EXPECT_FALSE(request.sampling.all_cores);
  EXPECT_FALSE(request.sampling.jitter);
  EXPECT_FALSE(request.sampling.rate_hz.has_value());
  EXPECT_FALSE(request.sampling.perf_data);
  EXPECT_FALSE(request.spawn_delay_ms.has_value());
  EXPECT_EQ(request.sampling.display_rows, 50u);
  EXPECT_FALSE(request.sampling.display.annotate);
  EXPECT_FALSE(request.sampling.display.symbol.has_value());
}

TEST(CommandLine, DisassembleImpliesAnnotate) {
  const request::SampleDisplay display = parsed({"sample", "--disassemble"}).sampling.display;
  EXPECT_TRUE(display.annotate);
  EXPECT_TRUE(display.disassemble);
}

TEST(CommandLine, SamplingOptionsOfOurs) {
  const Request request =
      parsed({"record", "--cores", "0,2-3", "--all-cores", "--jitter", "--freq", "1000", "--by", "thread,caller",
              "--timeline", "20", "--symbol-path", "srv*c*https://x", "--pdb_file", "p", "--pdb_file", "q"});
  ASSERT_EQ(request.sampling.cores.size(), 2u);
  EXPECT_EQ(request.sampling.cores[1].last, 3u);
  EXPECT_TRUE(request.cores.empty());
  EXPECT_TRUE(request.sampling.all_cores);
  EXPECT_TRUE(request.sampling.jitter);
  EXPECT_EQ(request.sampling.rate_hz, 1000u);
  EXPECT_EQ(request.sampling.display.by,
            (std::vector<request::Breakdown>{request::Breakdown::thread, request::Breakdown::caller}));
  EXPECT_EQ(request.sampling.display.timeline_ms, 20u);
  EXPECT_FALSE(request.timeline.enabled);
  EXPECT_EQ(request.sampling.symbol_path, "srv*c*https://x");
  EXPECT_EQ(request.pdb_file, "q");
  EXPECT_EQ(request.sampling.more_pdb_files, (std::vector<std::string>{"p"}));
}

TEST(CommandLine, BadValuesOfSamplingOptions) {
  struct Case {
    const char *option, *value, *text, *hint;  // text: from the contract; empty: the message names option and value
    diag::ExitCode code;
  };
  constexpr auto kFailed = diag::ExitCode::failed;
  constexpr auto kUsage = diag::ExitCode::usage;
  const Case cases[] = {
      {"--sample-display-row", "-1", "", "0 to 4294967295", kUsage},
      {"-c", "a", "option -c format not supported, use comma separated list of integers, or range of integers", "",
       kFailed},
      {"--cores", "a",
       "option --cores format not supported, use comma separated list of integers, or range of integers", "", kUsage},
      {"--timeout", "a", "input: \"a\" to argument '--timeout' is invalid", "", kFailed},
      {"--every", "a", "input: \"a\" to argument '--every' is invalid", "", kUsage},
      {"--freq", "0", "", "1 to 50000", kUsage},
      {"--freq", "50001", "", "1 to 50000", kUsage},
      {"--freq", "1k", "", "1 to 50000", kUsage},
      {"--percentage", "half", "", "relative or absolute", kUsage},
      {"--timeline", "0", "", "1 to 4294967295", kUsage},
      {"--by", "line", "", "process", kUsage},
  };
  for (const Case& bad : cases) {
    const auto result = parse({"record", bad.option, bad.value});
    ASSERT_FALSE(result.has_value()) << bad.option;
    const diag::Error& error = result.error();
    if (*bad.text != 0) {
      EXPECT_EQ(error.text, bad.text);
    } else {
      EXPECT_NE(error.text.find(bad.option), std::string::npos) << error.text;
      EXPECT_NE(error.text.find("'" + std::string(bad.value) + "'"), std::string::npos) << error.text;
    }
    EXPECT_NE(error.hint.find(bad.hint), std::string::npos) << error.hint;
    EXPECT_EQ(error.code, bad.code) << bad.option;
  }
}

TEST(CommandLine, BenchRunsProgramsAsOftenAsCanShowSomething) {
  for (const char* bad : {"0", "3", "1001", "x"}) {
    const auto refused = parse({"bench", "-n", bad, "--", "a", "---", "b"});
    ASSERT_FALSE(refused.has_value()) << bad;
    EXPECT_TRUE(diag::names_all(refused.error().text, {"'" + std::string(bad) + "'", "-n"}));
    EXPECT_TRUE(diag::names_all(refused.error().hint, {"4 to 1000", "runs"}));
    EXPECT_EQ(refused.error().code, diag::ExitCode::usage);
  }
  EXPECT_EQ(parse({"bench", "-n", "4", "--", "a", "---", "b"}).value().timeline.count, 4u);
}

TEST(CommandLine, TheFileOfPerfsReportNeedsNoOption) {
  const auto refused = parse({"report", "-i", "x.data"});
  ASSERT_FALSE(refused.has_value());
  EXPECT_TRUE(diag::names_all(refused.error().text, {"report", "-i"}));
  EXPECT_TRUE(refused.error().hint.ends_with("wperf report x.data"));
  EXPECT_EQ(refused.error().code, diag::ExitCode::usage);
}

// Contract 2.3: a wrong interval is reported before a file that comes later on the line, and vice versa.
TEST(CommandLine, IntervalsAndFilesInTheOrderOfTheLine) {
  const auto first_line = [](std::vector<std::string> arguments) {
    const std::string text = error_of(std::move(arguments), only_good_exists);
    return text.substr(0, text.find('\n'));
  };
  EXPECT_EQ(first_line({"record", "-e", "ld_spec:x1", "--pe_file", "a"}), "event interval: x1 is invalid!");
  EXPECT_EQ(first_line({"record", "--pe_file", "a", "-e", "ld_spec:x1"}), "PE file 'a' doesn't exist");
  EXPECT_EQ(first_line({"record", "-e", "ld_spec:8589934591", "--pdb_file", "b"}),
            "event interval: 8589934591 is out of range!");
  EXPECT_EQ(first_line({"sample", "-e", "arm_spe_0/ld/", "--pdb_file", "b"}), "incorrect SPE filter: 'ld' in ld");
  EXPECT_EQ(first_line({"sample", "--pdb_file", "b", "-e", "arm_spe_0/ld/"}), "PDB file 'b' doesn't exist");
}

TEST(CommandLine, ASecondListOfFiltersDoesNotReplaceTheFirst) {
  const auto refused = parse({"record", "-e", "arm_spe_0/ld=1/", "-e", "arm_spe_0/st=1/"});
  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(refused.error().text, "SPE is named twice: -e arm_spe_0/ld=1/ and -e arm_spe_0/st=1/");
  EXPECT_TRUE(diag::names_all(refused.error().hint, {"arm_spe_0/ld=1,st=1/"}));
}

TEST(CommandLine, OnLinuxTheFirstUnknownWordIsTheProgram) {
  const auto linux_line = [](std::vector<std::string> words) { return parse_command_line(words, nullptr, "linux"); };
  const auto record = linux_line({"record", "-g", "./program", "-g", "--json", "list"});
  ASSERT_TRUE(record.has_value());
  ASSERT_TRUE(record.value().program.has_value());
  EXPECT_EQ(record.value().program->path, "./program");
  EXPECT_EQ(record.value().program->command_line, "./program -g --json list");
  EXPECT_FALSE(record.value().outputs.json);
  EXPECT_EQ(linux_line({"stat", "--nonsense"}).error().text, "no option '--nonsense'");
  EXPECT_EQ(linux_line({"list", "nonsense"}).error().code, diag::ExitCode::usage);
  // As in WindowsPerf, on devices where its scripts run.
  const auto sim = linux_line({"--device", "sim", "record", "./program", "--nonsense"});
  ASSERT_TRUE(sim.has_value());
  EXPECT_EQ(sim.value().unexpected, (std::vector<std::string>{"./program", "--nonsense"}));
  EXPECT_FALSE(sim.value().program.has_value());
}

TEST(CommandLine, FramesOfPython) {
  using request::PythonFrames;
  const auto taken = [](std::vector<std::string> line) {
    const Request request = parsed(std::move(line));
    return std::pair(request.sampling.call_stacks.python, request.recording.python_lines);
  };
  EXPECT_EQ(taken({"record", "--python"}), std::pair(PythonFrames::folded, false));
  EXPECT_EQ(taken({"record", "--python=native"}), std::pair(PythonFrames::native, false));
  EXPECT_EQ(taken({"record", "--python=functions"}), std::pair(PythonFrames::folded, false));
  EXPECT_EQ(taken({"record", "--python=lines"}), std::pair(PythonFrames::folded, true));
  EXPECT_EQ(taken({"record", "--python=lines", "--python=functions"}), std::pair(PythonFrames::folded, false));
  EXPECT_EQ(taken({"record", "--python=lines", "--python=native"}), std::pair(PythonFrames::native, true));
  EXPECT_TRUE(parsed({"record", "--python=lines"}).sampling.call_stacks.wanted());
  EXPECT_TRUE(taken({"report", "perf.data", "--python=lines"}).second);
}

TEST(CommandLine, HelpOfOneCommand) {
  for (const auto& line : {std::vector<std::string>{"record", "--help"},
                           {"help", "record"},
                           {"-h", "record"},
                           {"record", "-c", "1", "-h"}}) {
    const Request request = parsed(line);
    EXPECT_EQ(request.command, Command::help);
    EXPECT_EQ(request.help_topic, Command::record);
  }
  EXPECT_EQ(parsed({"help", "help"}).help_topic, std::nullopt);
  EXPECT_EQ(parsed({"help", "--version"}).help_topic, Command::version);
  EXPECT_EQ(parsed({"man", "--help"}).help_topic, Command::man);
  EXPECT_EQ(parsed({"doctor", "--help"}).help_topic, Command::doctor);
  EXPECT_FALSE(parsed({"help"}).help_topic.has_value());
  EXPECT_TRUE(parsed({"--help", "--all"}).all_help);
  // On other devices, `help` is an ordinary word.
  EXPECT_EQ(parsed({"stat", "help"}).unexpected, std::vector<std::string>{"help"});
  EXPECT_EQ(parsed({"man", "help"}).man_topic, "help");
  EXPECT_EQ(error_of({"help", "lsit"}), "no command 'lsit'; did you mean list?");
}

TEST(CommandLine, WordsThatMayHaveBeenMeant) {
  const auto linux_error = [](std::vector<std::string> words) {
    const auto request = parse_command_line(words, nullptr, "linux");
    EXPECT_FALSE(request.has_value());
    EXPECT_EQ(request.error().code, diag::ExitCode::usage);
    return request.error();
  };
  EXPECT_EQ(linux_error({"reprot", "x"}).text, "no command 'reprot'; did you mean report?");
  EXPECT_EQ(linux_error({"frobnicate", "--", "prog"}).text, "no command 'frobnicate'");
  EXPECT_EQ(linux_error({"stat", "--timeuot", "3"}).text, "no option '--timeuot'; did you mean --timeout?");
  EXPECT_EQ(linux_error({"stat", "--timeuot", "3"}).hint.find("`wperf stat --help`"), 0u);
  EXPECT_EQ(linux_error({"stat", "--timeout=3"}).text, "no option '--timeout=3'; did you mean --timeout 3?");
  EXPECT_EQ(linux_error({"list", "everything"}).text, "list does not take 'everything'");
}

TEST(CommandLine, ALineSaysWhatToDo) {
  EXPECT_TRUE(check_command(parsed({"list"})).has_value());
  EXPECT_TRUE(check_command(parsed({"--force-lock"})).has_value());
  EXPECT_TRUE(check_command(parsed({"list", "everything"})).has_value());  // as in WindowsPerf
  for (const auto& line : {std::vector<std::string>{"frobnicate", "--", "prog"}, {"--force-lock", "frobnicate"}}) {
    const auto checked = check_command(parsed(line));
    ASSERT_FALSE(checked.has_value());
    EXPECT_EQ(checked.error().text, "no command 'frobnicate'");
    EXPECT_EQ(checked.error().code, diag::ExitCode::usage);
  }
  EXPECT_TRUE(check_command(parsed({"report", "x", "--html", "y", "--html-all"})).has_value());
  EXPECT_EQ(check_command(parsed({"report", "x", "--html-all"})).error().code, diag::ExitCode::usage);
  for (const char* const more : {"--tree", "--annotate", "--folded", "--latency", "--mem"}) {
    EXPECT_EQ(check_command(parsed({"report", "x", "--branches", more})).error().code, diag::ExitCode::usage) << more;
  }
  EXPECT_TRUE(check_command(parsed({"report", "x", "--branches", "--sort", "line", "--json"})).has_value());
  EXPECT_EQ(check_command(parsed({"report", "x", "--branches", "--sort", "pid"})).error().code, diag::ExitCode::usage);
  EXPECT_EQ(check_command(parsed({"-v"})).error().text.find("no command"), 0u);
  EXPECT_EQ(check_command(parsed({"--", "prog"})).error().text.find("no command"), 0u);
  EXPECT_EQ(check_command(parsed({"--versoin"})).error().text.find("no command"), 0u);
}

TEST(CommandLine, ABriefHasNoTimeline) {
  const auto refused = check_command(parsed({"stat", "-e", "cpu_cycles", "-t", "--brief", "--json"}));
  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(refused.error().code, diag::ExitCode::usage);
  EXPECT_TRUE(diag::names_all(refused.error().text, {"--brief", "-t"}));
  EXPECT_TRUE(check_command(parsed({"stat", "-e", "cpu_cycles", "--brief"})).has_value());
}

TEST(CommandLine, OptionsOfOtherCommandsAreTold) {
  EXPECT_EQ(parsed({"list", "--html", "x", "--html", "y"}).warnings,
            (std::vector<std::string>{"warning: --html has no effect on list"}));
  EXPECT_EQ(parsed({"waits", "x.data", "--export", "csv"}).warnings,
            (std::vector<std::string>{"warning: --export has no effect on waits"}));
  EXPECT_TRUE(parsed({"report", "x.data", "--html", "y", "--device", "sim", "--no-pager"}).warnings.empty());
  // There is no warning about WindowsPerf's options, because its clients treat any text on stderr as a failure.
  EXPECT_TRUE(parsed({"list", "-e", "inst_spec", "-k", "--annotate", "--timeout", "1"}).warnings.empty());
  EXPECT_TRUE(parsed({"list", "--html", "x", "--help"}).warnings.empty());
}

TEST(CommandLine, AReportHasOneForm) {
  const auto text_of = [](std::vector<std::string> line) {
    const auto checked = check_command(parsed(std::move(line)));
    return checked.has_value() ? std::string() : checked.error().text;
  };
  EXPECT_TRUE(diag::names_all(text_of({"report", "x", "--html", "y", "--records", "z"}), {"--records", "--html"}));
  EXPECT_TRUE(diag::names_all(text_of({"report", "x", "--svg", "y", "--records", "z"}), {"--records", "--svg"}));
  EXPECT_TRUE(
      diag::names_all(text_of({"report", "x", "--export", "csv", "--records", "z"}), {"--records", "--export"}));
  EXPECT_TRUE(diag::names_all(text_of({"report", "x", "--export", "csv", "--html", "z"}), {"--export", "--html"}));
  EXPECT_TRUE(diag::names_all(text_of({"report", "x", "--folded", "--html", "z"}), {"--html", "--folded"}));
  EXPECT_TRUE(diag::names_all(text_of({"report", "x", "--export", "csv", "--json"}), {"--export", "--json"}));
  EXPECT_TRUE(diag::names_all(text_of({"report", "x", "--html", "z", "--json"}), {"--html", "--json"}));
  EXPECT_TRUE(
      diag::names_all(text_of({"record", "--html", "z", "--records", "y", "--", "p"}), {"--records", "--html"}));
  EXPECT_TRUE(diag::names_all(text_of({"waits", "x", "--html", "z", "--records", "y"}), {"--records", "--html"}));
  EXPECT_EQ(text_of({"report", "x", "--html", "y", "--svg", "z"}), "");
  EXPECT_EQ(text_of({"report", "x", "--records", "-", "--json"}), "");
  EXPECT_EQ(text_of({"report", "x", "--folded", "-o", "y"}), "");
  EXPECT_EQ(text_of({"stat", "--export", "prometheus", "--json"}), "");
}

}  // namespace
}  // namespace wperf::cli
