// SPDX-License-Identifier: BSD-3-Clause
#include "cli/options.h"

namespace wperf::cli {
namespace {

using request::Command;

// Names that WindowsPerf shows with the short form last (`--output, -o`) are written that way round.
constexpr CommandRow kCommands[] = {
    {Command::stat, "stat", "", false, "", "[-- PROGRAM ARGUMENTS...]", true, "stat",
     "Count events on cores, while the machine does its work or while a program started for it runs."},
    {Command::sample, "sample", "", false, "", "", true, "sample",
     "Sample a program that already runs: where in it the events happen."},
    {Command::record, "record", "", false, "", "-- PROGRAM ARGUMENTS...", true, "record",
     "Start a program and sample it: where in it the events happen."},
    {Command::report, "report", "", false, "[FILE]", "", false, "report",
     "Show what a recording holds: a perf.data file, made here or elsewhere. Default: perf.data of this folder, else "
     "its "
     "youngest *.data."},
    {Command::waits, "waits", "", false, "[FILE]", "[-- PROGRAM ARGUMENTS...]", false, "waits",
     "Show why threads did not run: how long they ran, were ready and waited, where, and for whom. Of a program, of "
     "the "
     "machine, or of a recording."},
    {Command::list, "list", "-l", true, "", "", true, "list",
     "List the events, metrics and groups of metrics that -e and -m take."},
    {Command::man, "man", "", false, "[CPU/]NAME", "", true, "man",
     "Explain an event, a metric or a group of metrics, of the CPU of this machine or of the one named."},
    {Command::test, "test", "", false, "", "", true, "test",
     "Show what the machine can count, how wperf is set, and the schedule that given events would get."},
    {Command::detect, "detect", "", false, "", "", true, "detect", "List the devices of the kernel driver."},
    {Command::doctor, "doctor", "", false, "", "", false, "doctor",
     "Check everything a measurement needs and name the way out of what is missing."},
    {Command::version, "--version", "", false, "", "", true, "version-help",
     "Show the versions of wperf and of its driver."},
    {Command::help, "-h", "--help", false, "", "", false, "version-help",
     "Show what wperf can do; behind a command that command alone, with its examples and options."},
};

constexpr CommandSet kMeasuring(Command::stat, Command::sample, Command::record);
constexpr CommandSet kTimed(Command::stat, Command::sample, Command::record, Command::waits);
constexpr CommandSet kSampling(Command::sample, Command::record);
constexpr CommandSet kStacked(Command::sample, Command::record, Command::waits);
constexpr CommandSet kShowing(Command::sample, Command::record, Command::report, Command::waits);
constexpr CommandSet kOperations(Command::sample, Command::record, Command::report);
// On the linux device the views of recordings are also those of what was just recorded.
constexpr CommandSet kRecordings(Command::sample, Command::record, Command::report, Command::waits);
constexpr CommandSet kStat(Command::stat);
constexpr CommandSet kEvents(Command::stat, Command::sample, Command::record, Command::test);
constexpr CommandSet kCounting(Command::stat, Command::test);
constexpr CommandSet kMetrics(Command::stat, Command::test, Command::list);
constexpr CommandSet kWords(Command::stat, Command::sample, Command::record, Command::test, Command::list);
constexpr CommandSet kAnswering(Command::stat, Command::sample, Command::record, Command::report, Command::waits,
                                Command::list, Command::test, Command::man, Command::detect, Command::version,
                                Command::doctor);
constexpr CommandSet kOpening(Command::stat, Command::sample, Command::record, Command::waits, Command::list,
                              Command::test, Command::man, Command::detect, Command::version, Command::doctor);
constexpr CommandSet kVerbose(Command::stat, Command::sample, Command::record, Command::report, Command::waits,
                              Command::list);
constexpr CommandSet kLocking(Command::stat, Command::sample, Command::record, Command::list, Command::test,
                              Command::man, Command::detect, Command::version);

constexpr CommandSet kShownLong(Command::stat, Command::sample, Command::record, Command::report, Command::waits,
                                Command::list, Command::test, Command::man, Command::detect, Command::version,
                                Command::doctor, Command::help);
constexpr CommandSet kHelp(Command::help);

constexpr OptionRow kOptions[] = {
    {Option::events, "-e", "", false, Value::text, "EVENTS", kEvents, Group::measured,
     "Events, separated by commas: names of `wperf list`, raw numbers such as r1b or 0x1b, and groups in braces, which "
     "are "
     "always counted at the same time. The prefixes /dsu/, /dmc_clk/ and /dmc_clkdiv2/ name counters outside the "
     "cores. "
     "May be given several times. After sample or record the form is NAME or NAME:INTERVAL, without groups and "
     "prefixes: one sample every INTERVAL events (default 0x4000000); without -e cycles are sampled, one in "
     "0x8000000. arm_spe_0/NAME=VALUE,.../ samples with SPE instead."},
    {Option::metrics, "-m", "", false, Value::text, "METRICS", kCounting, Group::measured,
     "Metrics or groups of metrics of `wperf list`, separated by commas. May be given several times."},
    {Option::cores, "-c", "--cpu", false, Value::text, "CORES", kMeasuring, Group::measured,
     "Cores to count on: numbers and ranges such as 0,4-7. Default: all; with a program to start: core 0. sample and "
     "record take one core only and sample takes no default; see --cores. Given twice, the last counts."},
    {Option::timeout, "--timeout", "sleep", true, Value::duration, "DURATION", kTimed, Group::duration,
     "How long one count or the sampling takes: a number with up to two decimals and a unit out of ms, s, m, h, d "
     "(default s). "
     "0 or none: until Ctrl-C or the end of the program; with -t the default is 1 s."},
    {Option::timeline, "-t", "", false, Value::none, "", kStat, Group::duration,
     "Timeline: count again and again, pause between the counts, and write one CSV file per kind of counter."},
    {Option::interval, "-i", "", false, Value::duration, "DURATION", kStat, Group::duration,
     "Pause between two counts of a timeline. Default: 60 s. 0 is allowed."},
    {Option::count, "-n", "", false, Value::number, "COUNT", kStat, Group::duration,
     "How many counts a timeline takes. Default: 0, until Ctrl-C."},
    {Option::runs, "-r", "", false, Value::number, "RUNS", kStat, Group::duration,
     "Count the program to start RUNS times, 1 to 1000, and show means and standard deviations."},
    {Option::kernel, "-k", "", false, Value::none, "", kMeasuring, Group::measured,
     "Include what happens in kernel mode."},
    {Option::dmc, "--dmc", "", false, Value::number, "CHANNEL", kStat, Group::measured,
     "Count on one channel of the DDR memory controller only. Default: all."},
    {Option::metric_file, "-C", "", false, Value::file, "FILE", kMetrics, Group::measured,
     "Read metrics from FILE: lines of NAME:EVENTS, # starts a comment. They replace built-in metrics of the same "
     "name."},
    {Option::extra_events, "-E", "", false, Value::file, "EVENTS", kWords, Group::measured,
     "Name more events: NAME:HEX,NAME:HEX, or a file with such lines. A name may carry a prefix such as /dsu/."},
    {Option::config, "--config", "", false, Value::text, "NAME=VALUE", kEvents, Group::measured,
     "Change a setting for this run. count.period is the length of a time slot in milliseconds, 10 to 100, when more "
     "events are counted than there are counters. Default: 100. sample.limit is the most samples a second that the "
     "driver "
     "takes on each core; administrators may ask for more than 60000, which is the default."},
    {Option::pe_file, "--pe_file", "", false, Value::file, "FILE", kMeasuring, Group::measured,
     "The program to start or to sample. With stat it is started without arguments; `--` replaces it."},
    {Option::pdb_file, "--pdb_file", "", false, Value::file, "FILE", kSampling, Group::names,
     "Symbols of the program or of one of its modules; the identity inside tells whose. May be given several times. "
     "Default: beside the program, with the extension pdb."},
    {Option::image_name, "--image_name", "", false, Value::text, "NAME", kSampling, Group::measured,
     "The running program to sample. Default: the name of the PE file."},
    {Option::spawn_delay, "--record_spawn_delay", "", false, Value::number, "MILLISECONDS", kMeasuring, Group::duration,
     "Let a started program run this long before measuring. Default: 0, from its first instruction on."},
    {Option::process, "-p", "", false, Value::number, "PID", kTimed, Group::measured,
     "Measure the running process of this number, with the threads and programs it starts. On the linux device."},
    {Option::sampled_cores, "--cores", "", false, Value::text, "CORES", kSampling, Group::measured,
     "Sample several cores at once: numbers and ranges such as 0,4-7. -c then only says where record starts the "
     "program."},
    {Option::all_cores, "--all-cores", "", false, Value::none, "", kSampling, Group::measured,
     "Sample all cores at once."},
    {Option::jitter, "--jitter", "", false, Value::none, "", kSampling, Group::measured,
     "Vary each interval by up to half either way, so that sampling does not fall into step with a loop."},
    {Option::rate, "--freq", "", false, Value::number, "HZ", kSampling, Group::measured,
     "Adapt the intervals until each core gives about HZ samples a second of every event, 1 to 50000. Events that "
     "have an :INTERVAL keep it."},
    {Option::symbol, "--symbol", "-s", true, Value::text, "TEXT", kShowing, Group::shown,
     "Show only functions of this name. ^TEXT is a beginning, TEXT$ an end; upper and lower case are the same. The "
     "totals still tell of all."},
    {Option::display_row, "--sample-display-row", "", false, Value::number, "ROWS", kShowing, Group::shown,
     "Functions to show for each event. Default: 50."},
    {Option::display_long, "--sample-display-long", "", false, Value::none, "", kShowing, Group::shown,
     "Show decorated names of functions."},
    {Option::annotate, "--annotate", "", false, Value::none, "", kShowing, Group::shown,
     "Show the source lines of the samples."},
    {Option::disassemble, "--disassemble", "", false, Value::none, "", kShowing, Group::shown,
     "Show the instructions of the samples too. Implies --annotate."},
    {Option::by, "--by", "", false, Value::text, "TABLES", kShowing, Group::shown,
     "Add tables: process, thread, module, core and caller (who calls the hot functions), separated by commas."},
    {Option::sample_timeline, "--timeline", "", false, Value::number, "MILLISECONDS", kOperations, Group::shown,
     "Also tell in the JSON how many samples each function had in every stretch of this length."},
    {Option::symbol_path, "--symbol-path", "", false, Value::text, "PATH", kShowing, Group::names,
     "Where symbols may be, in the form of _NT_SYMBOL_PATH: folders and srv*CACHE*URL, separated by semicolons. Asked "
     "before that variable."},
    {Option::export_perf_data, "--export_perf_data", "", false, Value::none, "", kSampling, Group::output,
     "Also write the samples to perf.data in the current folder, or that of --output-prefix, for perf and its "
     "friends."},
    {Option::output_perf_data, "--output-perf-data", "", false, Value::file, "FILE", kSampling, Group::output,
     "The same, to FILE. On the linux device -o with a name that ends in .data does so, too."},
    {Option::stacks, "-g", "", false, Value::none, "", kStacked, Group::measured,
     "Record with each sample who called. The same as --call-graph auto."},
    {Option::call_graph, "--call-graph", "", false, Value::text, "HOW", kStacked, Group::measured,
     "Record who called. auto: by copies of the stack that are unwound while recording, and by frame pointers where "
     "those "
     "end. fp: by frame pointers alone. dwarf or dwarf,BYTES: with copies in the file, unwound by whoever reads it "
     "(default 8192, a multiple of 8, at most 65528). The driver and the simulated machine know frame pointers alone, "
     "which "
     "every program for Windows on Arm keeps."},
    {Option::max_stack, "--max-stack", "", false, Value::number, "N", kStacked, Group::measured,
     "Record at most N callers with each sample, 1 to 127 (default 127); of copies of the stack all."},
    {Option::memory, "--mem", "", false, Value::none, "", kOperations, Group::shown,
     "With SPE: where loads and stores waited and for what, by data source, function, line, page and cache line; "
     "branch "
     "mispredicts, TLB walks, false sharing."},
    {Option::records, "--records", "", false, Value::file, "FILE", kShowing, Group::output,
     "With SPE: also write every record on a line of FILE, as JSON if its name ends in .json, else as CSV; with - "
     "print "
     "them instead of tables, as JSON with --json. With report of other recordings: write every sample with its stack "
     "to "
     "FILE, or with - to the terminal, as text, or as JSON lines with --json or such a name."},
    {Option::sort, "--sort", "", false, Value::text, "KEYS", kRecordings, Group::shown,
     "Columns of the table; samples that agree in them are one row: comm, pid, tid, core, cputype (kind of core), "
     "module, "
     "symbol, line, separated by commas. Default: comm,module,symbol."},
    {Option::comms, "--comm", "", false, Value::text, "NAMES", kRecordings, Group::shown,
     "Show only threads of these names, separated by commas. Percentages stay those of all samples, here and with the "
     "next five; see --percentage."},
    {Option::pids, "--pid", "", false, Value::text, "NUMBERS", kRecordings, Group::shown, "Show only these processes."},
    {Option::tids, "--tid", "", false, Value::text, "NUMBERS", kRecordings, Group::shown, "Show only these threads."},
    {Option::modules, "--module", "", false, Value::text, "NAMES", kRecordings, Group::shown,
     "Show only these modules: libc.so.6, /usr/bin/python3, [kernel]."},
    {Option::time, "--time", "", false, Value::text, "FROM-TO", kRecordings, Group::shown,
     "Read only samples of this time, in seconds after the first one: 1.5-3, 1.5- or -3."},
    {Option::percentage, "--percentage", "", false, Value::text, "OF", kRecordings, Group::shown,
     "What is 100 %: absolute, all samples, which is the default, or relative, those that the filters leave. With "
     "report and on the linux device, as the next seven."},
    {Option::percent_limit, "--percent-limit", "", false, Value::number, "PERCENT", kRecordings, Group::shown,
     "Call trees leave out what has less. Default: 0.5; 0 shows all."},
    {Option::children, "--children", "", false, Value::none, "", kRecordings, Group::shown,
     "Count for each function also what it called, in a column of its own. Needs recorded stacks, as do the next "
     "four."},
    {Option::tree, "--tree", "", false, Value::none, "", kRecordings, Group::shown,
     "Show who called whom, from the outermost caller down."},
    {Option::callers, "--callers", "", false, Value::none, "", kRecordings, Group::shown,
     "Show who called the hot functions."},
    {Option::callees, "--callees", "", false, Value::none, "", kRecordings, Group::shown,
     "Show what the hot functions called."},
    {Option::folded, "--folded", "", false, Value::none, "", kRecordings, Group::shown,
     "Print stacks and nothing else, one a line with the number of its samples, as tools for flame graphs take them."},
    {Option::inlined, "--inline", "", false, Value::none, "", kRecordings, Group::shown,
     "Show functions that the compiler put into others as callees of these. Needs debug information and takes longer."},
    {Option::debuginfod, "--debuginfod", "", false, Value::none, "", kRecordings, Group::names,
     "Ask the servers of DEBUGINFOD_URLS for files and debug information that are not on this machine."},
    {Option::json, "--json", "", false, Value::none, "", kAnswering, Group::output,
     "Print the result as one JSON document and nothing else."},
    {Option::quiet, "-q", "", false, Value::none, "", kAnswering, Group::output,
     "Print no text. Warnings and errors still appear."},
    {Option::verbose, "-v", "--verbose", false, Value::none, "", kVerbose, Group::output,
     "Tell more, in text and in JSON."},
    {Option::output, "--output", "-o", false, Value::file, "FILE", kAnswering, Group::output,
     "Write the JSON to FILE. With -t but without --json, the CSV goes there instead."},
    {Option::output_csv, "--output-csv", "", false, Value::file, "FILE", kStat, Group::output,
     "Write the CSV of a timeline to FILE. {timestamp}, {class} and {core} in the name are replaced."},
    {Option::directory, "--output-prefix", "--cwd", false, Value::folder, "FOLDER", kAnswering, Group::output,
     "Where the files of --output and --output-csv go."},
    {Option::no_pager, "--no-pager", "", false, Value::none, "", kShownLong, Group::output,
     "Do not show text that is longer than the terminal in pages. Else it goes through WPERF_PAGER, PAGER or less."},
    {Option::colours, "--color", "", false, Value::text, "WHEN", kShowing, Group::output,
     "Colour hot rows: auto, on a terminal without NO_COLOR, which is the default; always, for a pager that wperf does "
     "not "
     "start; or never."},
    {Option::device, "--device", "", false, Value::device, "DEVICE", kOpening, Group::machine,
     "What measures: driver, linux, or sim[:KEY=VALUE,...] for the simulated machine. Default: the environment "
     "variable WPERF_DEVICE, else the machine's own."},
    {Option::force_lock, "--force-lock", "", false, Value::none, "", kLocking, Group::machine,
     "Take the driver from another wperf that holds it. The other one ends with an error."},
    {Option::all_help, "--all", "", false, Value::none, "", kHelp, Group::shown,
     "Every command and option, as on the manual page."},
};

constexpr Example kExamples[] = {
    {Command::stat, "wperf stat -- ./program",
     "On Linux: what a program needs. Without -e the events that most want to know."},
    {Command::stat, "wperf stat -r 5 -- ./program", "The same, five times: means, and how much the runs differ."},
    {Command::stat, "wperf stat -e inst_spec,vfp_spec,ld_spec -c 0 --timeout 3",
     "Count three events on core 0 for three seconds."},
    {Command::stat, "wperf stat -m imix -e l1i_cache -c 7 sleep 10.5", "A metric and an event on core 7."},
    {Command::stat, "wperf stat -e '{ld_spec,st_spec},{vfp_spec,ase_spec}' -c 0 --timeout 2",
     "Two groups. The quotes are for PowerShell and Unix shells; cmd wants none."},
    {Command::stat, "wperf stat -m dcache --json -o dcache.json -- myprog.exe 1000",
     "Count while a program runs, and keep the result as JSON."},
    {Command::stat, "wperf stat -t -i 0 -n 5 --timeout 2 -m imix -c 1",
     "Five counts of two seconds each into a CSV file."},
    {Command::stat, "wperf stat -m l3_cache,ddr_bw --timeout 1", "Traffic of the shared cache and of the memory."},
    {Command::record, "wperf record -e ld_spec:100000 -c 1 --timeout 3 -- myprog.exe 1000",
     "Which functions load the most? One sample every 100000 loads."},
    {Command::record, "wperf record -e l1d_cache_refill:1000 --annotate --disassemble -- myprog.exe",
     "The source lines and instructions that miss the cache."},
    {Command::record, "wperf record --freq 1000 --all-cores --by thread,caller -- myprog.exe",
     "Cycles on all cores, 1000 samples a second of each, per thread, and who calls the hot functions."},
    {Command::record, "wperf record -e arm_spe_0/load_filter=1,min_latency=32/ --mem -- myprog.exe",
     "Which loads wait, for what, and on which data? With the statistical profiling extension."},
    {Command::waits, "wperf waits -- ./program",
     "Why the threads of a program did not run: sums by thread, function and waker."},
    {Command::waits, "wperf waits --tree -- ./program",
     "The same as a call tree: where the program waited, and for how long."},
    {Command::report, "wperf report perf.data --mem", "The same for a recording made by perf on Arm Linux."},
    {Command::record, "wperf record -g --tree -- ./program",
     "On Linux: where the time of a program goes, as a call tree."},
    {Command::report, "wperf report perf.data --children --tree --comm python3",
     "Where the time of one program went, and who called whom."},
    {Command::report, "wperf report perf.data --symbol-path server-files",
     "A recording of another machine, whose programs were copied below server-files."},
    {Command::sample, "wperf sample -e ld_spec:100000 --pe_file myprog.exe -c 1 --timeout 10",
     "A program that already runs on core 1."},
    {Command::list, "wperf list -v", "Every event and metric, with formulas and explanations."},
    {Command::man, "wperf man neoverse-v2/ipc", "What a metric means on another CPU."},
    {Command::test, "wperf test -e '{ld_spec,st_spec},inst_spec' --json", "The schedule that these events would get."},
    {Command::doctor, "wperf doctor", "Why does nothing get counted?"},
    {Command::stat, "wperf stat --device sim -e inst_spec --timeout 1", "Try wperf without the hardware."},
};

template <typename Row>
const Row* find_row(std::span<const Row> rows, std::string_view token) {
  if (token.empty()) return nullptr;
  for (const Row& row : rows) {
    if (token == row.name || token == row.alias) return &row;
  }
  return nullptr;
}

}  // namespace

std::span<const CommandRow> command_rows() {
  return kCommands;
}
std::span<const OptionRow> option_rows() {
  return kOptions;
}
std::span<const Example> examples() {
  return kExamples;
}

const CommandRow& row_of(Command command) {
  for (const CommandRow& row : kCommands) {
    if (row.command == command) return row;
  }
  return kCommands[0];
}

const CommandRow* find_command(std::string_view token) {
  return find_row(command_rows(), token);
}
const OptionRow* find_option(std::string_view token) {
  return find_row(option_rows(), token);
}

std::string_view value_words(Option option) {
  switch (option) {
    case Option::by:
      return "process thread module core caller";
    case Option::sort:
      return "comm pid tid core cputype module symbol line";
    case Option::call_graph:
      return "auto fp dwarf";
    case Option::percentage:
      return "absolute relative";
    case Option::colours:
      return "auto always never";
    case Option::device:
      return "driver linux sim sim:";
    default:
      return {};
  }
}

bool takes_list(Option option) {
  return option == Option::by || option == Option::sort || option == Option::events || option == Option::metrics;
}

std::string usage_of(const OptionRow& row) {
  std::string usage = "[" + std::string(row.name);
  if (row.value != Value::none) usage.append(" ").append(row.value_name);
  return usage + "]";
}

}  // namespace wperf::cli
