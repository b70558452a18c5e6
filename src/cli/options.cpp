// SPDX-License-Identifier: BSD-3-Clause
#include "cli/options.h"

#include "request/export_format.h"

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
    {Command::report, "report", "", false, "[FILE...]", "", false, "report",
     "Show what a recording holds: a perf.data file, made here or elsewhere, or a trace of Windows (.etl, .etl.zip, "
     ".diagsession), also in several files of one session. Default: perf.data of this folder, else its youngest "
     "*.data."},
    {Command::waits, "waits", "", false, "[FILE...]", "[-- PROGRAM ARGUMENTS...]", false, "waits",
     "Show why threads did not run: how long they ran, were ready and waited, where, and for whom. Of a program, of "
     "the "
     "machine, or of a recording."},
    {Command::push, "push", "", false, "FILE...", "", false, "push",
     "Send a recording to a server that keeps profiles of a fleet: Pyroscope, Parca, or an OpenTelemetry collector."},
    {Command::topdown, "topdown", "", false, "", "[-- PROGRAM ARGUMENTS...]", true, "topdown",
     "Show what held a program back: where the slots of its cores went, level by level, and which functions lost them. "
     "Counts up to three times, then samples once."},
    {Command::top, "top", "", false, "", "[-- PROGRAM ARGUMENTS...]", true, "top",
     "Show live which functions are hot, in a program or the whole machine, on a terminal; with --once a single look "
     "for scripts."},
    {Command::diff, "diff", "", false, "BEFORE... [--] AFTER...", "", false, "diff",
     "Show what changed between recordings, or counts of `stat --json`, of two builds of a program: what grew, what "
     "shrank, by how much, and how sure that is. Several files a side stand before and behind --."},
    {Command::bench, "bench", "", false, "", "-- PROGRAM ARGUMENTS... --- PROGRAM ARGUMENTS...", true, "bench",
     "Run two programs in turn, count both, and show what changed, as diff does."},
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

constexpr CommandSet kMeasuring(Command::stat, Command::sample, Command::record, Command::bench, Command::topdown,
                                Command::top);
constexpr CommandSet kStarting(Command::stat, Command::sample, Command::record, Command::topdown, Command::top);
constexpr CommandSet kTimed(Command::stat, Command::sample, Command::record, Command::waits, Command::bench,
                            Command::topdown, Command::top);
constexpr CommandSet kSampling(Command::sample, Command::record);
constexpr CommandSet kSampled(Command::sample, Command::record, Command::top);
constexpr CommandSet kOftenSampled(Command::sample, Command::record, Command::top, Command::bench);
constexpr CommandSet kStacked(Command::sample, Command::record, Command::waits, Command::bench);
constexpr CommandSet kShowing(Command::sample, Command::record, Command::report, Command::waits);
// What chooses samples and finds names.
constexpr CommandSet kChoosing(Command::sample, Command::record, Command::report, Command::waits, Command::push,
                               Command::diff);
constexpr CommandSet kNamed(Command::sample, Command::record, Command::report, Command::waits, Command::push,
                            Command::diff, Command::bench, Command::topdown, Command::top);
constexpr CommandSet kOperations(Command::sample, Command::record, Command::report);
// On the linux device the views of recordings are also those of what was just recorded.
constexpr CommandSet kRecordings(Command::sample, Command::record, Command::report, Command::waits);
constexpr CommandSet kLatency(Command::record, Command::report);
constexpr CommandSet kPictured(Command::sample, Command::record, Command::report, Command::waits, Command::diff,
                               Command::bench);
constexpr CommandSet kTabled(Command::sample, Command::record, Command::report, Command::waits, Command::diff);
constexpr CommandSet kRows(Command::sample, Command::record, Command::report, Command::waits, Command::diff,
                           Command::bench, Command::top);
constexpr CommandSet kColoured(Command::sample, Command::record, Command::report, Command::waits, Command::diff,
                               Command::bench, Command::top);
constexpr CommandSet kCompared(Command::diff, Command::bench);
constexpr CommandSet kWaits(Command::waits);
constexpr CommandSet kTopdown(Command::topdown);
constexpr CommandSet kPaged(Command::stat, Command::sample, Command::record, Command::report, Command::waits,
                            Command::topdown, Command::diff, Command::bench);
constexpr CommandSet kBench(Command::bench);
constexpr CommandSet kLive(Command::top);
constexpr CommandSet kReport(Command::report);
constexpr CommandSet kStat(Command::stat);
constexpr CommandSet kCountedOften(Command::stat, Command::bench);
constexpr CommandSet kExporting(Command::stat, Command::report);
constexpr CommandSet kEvents(Command::stat, Command::sample, Command::record, Command::test, Command::bench,
                             Command::top);
constexpr CommandSet kCounting(Command::stat, Command::test);
constexpr CommandSet kMetrics(Command::stat, Command::test, Command::list);
constexpr CommandSet kWords(Command::bench, Command::stat, Command::sample, Command::record, Command::test,
                            Command::list, Command::top);
constexpr CommandSet kAnswering(Command::topdown, Command::stat, Command::sample, Command::record, Command::report,
                                Command::waits, Command::list, Command::test, Command::man, Command::detect,
                                Command::version, Command::doctor, Command::diff, Command::bench, Command::top);
constexpr CommandSet kQuiet(Command::topdown, Command::stat, Command::sample, Command::record, Command::report,
                            Command::waits, Command::list, Command::test, Command::man, Command::detect,
                            Command::version, Command::doctor, Command::push, Command::diff, Command::bench,
                            Command::top);
constexpr CommandSet kOpening(Command::topdown, Command::bench, Command::stat, Command::sample, Command::record,
                              Command::waits, Command::list, Command::test, Command::man, Command::detect,
                              Command::version, Command::doctor, Command::top);
constexpr CommandSet kVerbose(Command::diff, Command::bench, Command::stat, Command::sample, Command::record,
                              Command::report, Command::waits, Command::list);
constexpr CommandSet kLocking(Command::topdown, Command::bench, Command::stat, Command::sample, Command::record,
                              Command::list, Command::test, Command::man, Command::detect, Command::version,
                              Command::top);

constexpr CommandSet kShownLong(Command::topdown, Command::diff, Command::bench, Command::stat, Command::sample,
                                Command::record, Command::report, Command::waits, Command::list, Command::test,
                                Command::man, Command::detect, Command::version, Command::doctor, Command::help);
constexpr CommandSet kHelp(Command::help);
constexpr CommandSet kPush(Command::push);
constexpr CommandSet kLabelled(Command::push, Command::sample, Command::record, Command::report);
constexpr CommandSet kSending(Command::push, Command::sample, Command::record);
constexpr CommandSet kPeriodic(Command::sample, Command::record, Command::top);
constexpr CommandSet kDoctor(Command::doctor);

constexpr OptionRow kOptions[] = {
    {Option::events, "-e", "", false, Value::text, "EVENTS", kEvents, Group::measured,
     "Events, separated by commas: names of `wperf list`, raw numbers such as r1b or 0x1b, and groups in braces, which "
     "are "
     "always counted at the same time. The prefixes /dsu/, /dmc_clk/ and /dmc_clkdiv2/ name counters outside the "
     "cores. "
     "May be given several times. sample, record and top take NAME or NAME:INTERVAL, one sample every INTERVAL events, "
     "without groups and prefixes; sample and record also arm_spe_0/NAME=VALUE,.../ for SPE. What each command "
     "measures "
     "without -e is in its own help."},
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
    {Option::count, "-n", "", false, Value::number, "COUNT", kCountedOften, Group::duration,
     "How many counts a timeline takes. Default: 0, until Ctrl-C. With bench: how often each program runs, 4 to 1000 "
     "(default 8)."},
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
    {Option::pe_file, "--pe_file", "", false, Value::file, "FILE", kStarting, Group::measured,
     "The program to start or to sample. With stat it is started without arguments; `--` replaces it."},
    {Option::pdb_file, "--pdb_file", "", false, Value::file, "FILE", kSampled, Group::names,
     "Symbols of the program or of one of its modules; the identity inside tells whose. May be given several times. "
     "Default: beside the program, with the extension pdb."},
    {Option::image_name, "--image_name", "", false, Value::text, "NAME", kSampling, Group::measured,
     "The running program to sample. Default: the name of the PE file."},
    {Option::spawn_delay, "--record_spawn_delay", "", false, Value::number, "MILLISECONDS", kStarting, Group::duration,
     "Let a started program run this long before measuring. Default: 0, from its first instruction on."},
    {Option::process, "-p", "", false, Value::number, "PID", kTimed, Group::measured,
     "Measure the running process of this number, with the threads and programs it starts. On the linux and etw "
     "devices."},
    {Option::sampled_cores, "--cores", "", false, Value::text, "CORES", kSampled, Group::measured,
     "Sample several cores at once: numbers and ranges such as 0,4-7. -c then only says where record starts the "
     "program."},
    {Option::all_cores, "--all-cores", "", false, Value::none, "", kSampled, Group::measured,
     "Sample all cores at once."},
    {Option::jitter, "--jitter", "", false, Value::none, "", kOftenSampled, Group::measured,
     "Vary each interval by up to half either way, so that sampling does not fall into step with a loop."},
    {Option::rate, "--freq", "", false, Value::number, "HZ", kOftenSampled, Group::measured,
     "Adapt the intervals until each core gives about HZ samples a second of every event, 1 to 50000. Events that "
     "have an :INTERVAL keep it."},
    {Option::print_wprp, "--print-wprp", "", false, Value::none, "", kSampling, Group::measured,
     "Sample nothing; print a profile (.wprp) by which Microsoft's own recorder wpr.exe samples the same. On the etw "
     "device."},
    {Option::symbol, "--symbol", "-s", true, Value::text, "TEXT", kTabled, Group::shown,
     "Show only functions of this name. ^TEXT is a beginning, TEXT$ an end; upper and lower case are the same. The "
     "totals still tell of all."},
    {Option::display_row, "--sample-display-row", "", false, Value::number, "ROWS", kRows, Group::shown,
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
    {Option::symbol_path, "--symbol-path", "", false, Value::text, "PATH", kNamed, Group::names,
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
    {Option::sort, "--sort", "", false, Value::text, "KEYS", kTabled, Group::shown,
     "Columns of the table; samples that agree in them are one row: comm, pid, tid, core, cputype (kind of core), "
     "module, "
     "symbol, line, separated by commas. Default: comm,module,symbol. With diff only line tells anything: it adds "
     "lines."},
    {Option::comms, "--comm", "", false, Value::text, "NAMES", kChoosing, Group::shown,
     "Show only threads of these names, separated by commas. Percentages stay those of all samples, here and with the "
     "next five; see --percentage."},
    {Option::pids, "--pid", "", false, Value::text, "NUMBERS", kChoosing, Group::shown, "Show only these processes."},
    {Option::tids, "--tid", "", false, Value::text, "NUMBERS", kChoosing, Group::shown, "Show only these threads."},
    {Option::modules, "--module", "", false, Value::text, "NAMES", kChoosing, Group::shown,
     "Show only these modules: libc.so.6, /usr/bin/python3, [kernel]."},
    {Option::time, "--time", "", false, Value::text, "FROM-TO", kChoosing, Group::shown,
     "Read only samples of this time, in seconds after the first one: 1.5-3, 1.5- or -3."},
    {Option::idle, "--idle", "", false, Value::none, "", kReport, Group::shown,
     "Count the samples of idle cores, too. Without it they are left out of traces of Windows; perf.data files are "
     "shown as perf shows them, with idle."},
    {Option::providers, "--providers", "", false, Value::none, "", kReport, Group::shown,
     "Of a trace of Windows: its events by provider and kind, with their number, bytes, first and last time. With "
     "--records those that no report is made of one by one: --time, --pid and --tid choose."},
    {Option::spans, "--spans", "", false, Value::none, "", kReport, Group::shown,
     "Of a trace of Windows: what programs marked with events that start and stop, by provider and name: how often, "
     "how "
     "long, and what their threads worked in it."},
    {Option::span, "--span", "", false, Value::text, "NAME", kReport, Group::shown,
     "Of a trace of Windows: only samples that a thread had between such a start and its stop; NAME or PROVIDER/NAME, "
     "as "
     "--spans lists them."},
    {Option::latency, "--latency", "", false, Value::none, "", kLatency, Group::shown,
     "Weight each sample by the time that passed: threads of the program that ran at once share it, so code that ran "
     "alone comes first. The recording needs context switches; with record on the linux device, they are recorded."},
    {Option::parallelism, "--parallelism", "", false, Value::text, "N-M", kReport, Group::shown,
     "Only samples that were taken while N threads of the program ran, or N to M: 1 for what ran alone. The recording "
     "needs what --latency needs; the two go together."},
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
    {Option::folded, "--folded", "", false, Value::none, "", kPictured, Group::shown,
     "Print stacks and nothing else, one a line with the number of its samples, as tools for flame graphs take them; "
     "with "
     "diff two numbers, before and after."},
    {Option::export_format, "--export", "", false, Value::text, "FORMAT", kExporting, Group::output,
     "Write the recording as another tool reads it, into the FILE of -o, or with -o - into a pipe: pprof, firefox, "
     "speedscope, folded, chrome, perfetto, perfetto-perf, callgrind, otlp, csv, sql, perf.data. Filters, --time and "
     "--inline choose "
     "what is in it, but perf.data is the whole recording. With stat: prometheus, the counts as node_exporter's "
     "textfile collector takes them."},
    {Option::inlined, "--inline", "", false, Value::none, "", kChoosing, Group::shown,
     "Show functions that the compiler put into others as callees of these. Needs debug information and takes longer."},
    {Option::html, "--html", "", false, Value::file, "FILE", kPaged, Group::output,
     "Write the recording as one HTML file that opens in any browser without a network: flame graph, timeline, tables, "
     "and with --annotate or --disassemble the code of hot functions. `waits --html` shows where threads ran and "
     "waited, `stat -t --html` counts over time, `topdown --html` the tree, `diff --html` what changed."},
    {Option::html_all, "--html-all", "", false, Value::none, "", kRecordings, Group::output,
     "With --html: the time of each sample, and not only which 20 ms it was in. The file becomes about six times as "
     "large."},
    {Option::svg, "--svg", "", false, Value::file, "FILE", kPictured, Group::output,
     "Write a flame graph as a picture for documents; with diff, what grew is orange and what shrank is blue."},
    {Option::critical_path, "--critical-path", "", false, Value::none, "", kWaits, Group::shown,
     "Show what the end of the recording, or of --time, had to wait for: backwards through the thread of --tid, or the "
     "first of the program, and through all that ended its waits."},
    {Option::level, "--level", "", false, Value::number, "LEVEL", kTopdown, Group::measured,
     "Go no deeper than this level of the tree; 1 is the first. Default: to its end."},
    {Option::node, "--node", "", false, Value::text, "NODE", kTopdown, Group::measured,
     "Look into this node of the tree, such as backend_mem_bound. Default: where the most is lost."},
    {Option::counts_only, "--counts-only", "", false, Value::none, "", kTopdown, Group::measured,
     "Leave out the last run, which samples the functions."},
    {Option::once, "--once", "", false, Value::none, "", kLive, Group::output,
     "Look once, for the time of --every, and print what was seen; with --json as one document."},
    {Option::live_waits, "--waits", "", false, Value::none, "", kLive, Group::measured,
     "Record each switch of a thread, too, and show in which functions threads wait, how long and what for. On the "
     "linux and etw devices."},
    {Option::live_counters, "--counters", "", false, Value::text, "EVENTS", kLive, Group::measured,
     "Count these events, too, and show how often they happen; usual: those of stat without -e. On the linux device."},
    {Option::shortest_wait, "--min", "", false, Value::text, "LENGTH", kWaits, Group::shown,
     "List only waits that are at least so long: a number with a unit out of us, ms, s (default ms). What is left out "
     "is told."},
    {Option::on_off, "--on-off", "", false, Value::none, "", kWaits, Group::shown,
     "Show in one tree, or with --folded in one list of stacks, where threads ran, were ready and waited, in "
     "nanoseconds. While recording, also sample every millisecond where they run."},
    {Option::record_runs, "--record", "", false, Value::file, "NAME", kBench, Group::measured,
     "Make a recording of each run, in NAME-before-1.data, NAME-after-1.data and so on, and show which functions "
     "changed. -e then is what it is with record."},
    {Option::warmup, "--warmup", "", false, Value::number, "ROUNDS", kBench, Group::duration,
     "Run both programs so often before anything counts, 0 to 1000 (default 0), so that files are in memory."},
    {Option::baseline, "--baseline", "", false, Value::file, "FILE", kBench, Group::measured,
     "Compare one program with what --save-baseline wrote to FILE."},
    {Option::keep_baseline, "--save-baseline", "", false, Value::file, "FILE", kBench, Group::measured,
     "Write what each run cost to FILE, for --baseline; of two programs that of the one after. One program alone is "
     "measured and not compared."},
    {Option::show_output, "--show-output", "", false, Value::none, "", kBench, Group::output,
     "Show what the programs write. Else they write to nowhere, and read from there."},
    {Option::cost_per, "--per", "", false, Value::text, "UNIT", kCompared, Group::shown,
     "What costs are divided by before they are compared: run, which is as they are and the default; share, of all "
     "samples; second, of time; or the name of an event that was counted or sampled, too, such as inst_retired."},
    {Option::fail_if, "--fail-if", "", false, Value::text, "CONDITION", kCompared, Group::output,
     "End with status 5 where it is sure that something grew by more: 'elapsed>5%', 'cpu-time>5%', "
     "'inst_retired>0.5%', 'function:parse>5%', 'inclusive:parse>5%' (with what it calls, of recordings with callers), "
     "'module:libz.so.1>10%', 'line:main.c:12>3%' (with --sort symbol,line); * as a name is any. In quotes. May be "
     "given several times."},
    {Option::junit, "--junit", "", false, Value::file, "FILE", kCompared, Group::output,
     "Write the conditions of --fail-if as tests in JUnit's form, which CI systems show; to the terminal with -."},
    {Option::markdown, "--markdown", "", false, Value::file, "FILE", kCompared, Group::output,
     "Write the comparison as Markdown, for a comment; to the terminal with -."},
    {Option::github, "--github", "", false, Value::none, "", kCompared, Group::output,
     "Also print what fails as annotations that GitHub shows beside the code; on stderr where stdout is a document."},
    {Option::debuginfod, "--debuginfod", "", false, Value::none, "", kNamed, Group::names,
     "Ask the servers of DEBUGINFOD_URLS for files and debug information that are not on this machine."},
    {Option::json, "--json", "", false, Value::none, "", kAnswering, Group::output,
     "Print the result as one JSON document and nothing else."},
    {Option::quiet, "-q", "", false, Value::none, "", kQuiet, Group::output,
     "Print no text. Warnings and errors still appear."},
    {Option::verbose, "-v", "--verbose", false, Value::none, "", kVerbose, Group::output,
     "Tell more, in text and in JSON."},
    {Option::output, "--output", "-o", false, Value::file, "FILE", kAnswering, Group::output,
     "Write the JSON to FILE; -o - is --json. With -t but without --json, the CSV goes there instead."},
    {Option::output_csv, "--output-csv", "", false, Value::file, "FILE", kStat, Group::output,
     "Write the CSV of a timeline to FILE. {timestamp}, {class} and {core} in the name are replaced."},
    {Option::directory, "--output-prefix", "--cwd", false, Value::folder, "FOLDER", kAnswering, Group::output,
     "Where the files of --output and --output-csv go."},
    {Option::listen, "--listen", "", false, Value::text, "ADDRESS:PORT", kStat, Group::output,
     "Count again and again, each time for --timeout (default 1 s), and show the counts at http://ADDRESS:PORT/metrics "
     "as "
     "Prometheus reads them, until Ctrl-C. PORT alone listens to this machine only. After -n counts the last ones "
     "stay."},
    {Option::push, "--push", "", false, Value::text, "URL", kSampling, Group::output,
     "Send a profile of each period to a server, as `wperf push` does, until Ctrl-C, the end of the program or of "
     "--timeout; with what wperf itself costs."},
    {Option::every, "--every", "", false, Value::duration, "DURATION", kPeriodic, Group::duration,
     "With --push: how long a period is. Default: 60 s. With top: how long one look is. Default: 1 s."},
    {Option::push_url, "--url", "", false, Value::text, "URL", kPush, Group::output,
     "The address of the server, http:// or https://, without the path of its interface."},
    {Option::push_target, "--to", "", false, Value::text, "KIND", kSending, Group::output,
     "What the server is: pyroscope, which is the default, pyroscope-ingest (its older /ingest), parca or otlp."},
    {Option::push_label, "--label", "", false, Value::text, "NAME=VALUE", kLabelled, Group::output,
     "A label of the profile, by which the server finds it: build=1234, host=$(hostname). May be given several times. "
     "service_name is the name of the program where nobody gives one. With report --export csv: a column of the table; "
     "sql "
     "and otlp have a place for it, too."},
    {Option::token_file, "--token-file", "", false, Value::file, "FILE", kSending, Group::output,
     "Where the server's token is, or USER:PASSWORD. Default: the environment variable WPERF_PUSH_TOKEN, else none."},
    {Option::plain_token, "--plain-token", "", false, Value::none, "", kSending, Group::output,
     "Send the token over http:// to another machine, too, where everybody on the way can read it."},
    {Option::tenant, "--tenant", "", false, Value::text, "NAME", kSending, Group::output,
     "Whose the profile is, on a server for several (the header X-Scope-OrgID)."},
    {Option::spool, "--spool", "", false, Value::folder, "FOLDER", kSending, Group::output,
     "Keep there what cannot be sent, and send it with the next profile. push without a FILE sends only that."},
    {Option::spool_limit, "--spool-limit", "", false, Value::text, "SIZE", kSending, Group::output,
     "The most that may wait there, with K, M or G. What waits longest is dropped first, and told. Default: 64M."},
    {Option::no_pager, "--no-pager", "", false, Value::none, "", kShownLong, Group::output,
     "Do not show text that is longer than the terminal in pages. Else it goes through WPERF_PAGER, PAGER or less."},
    {Option::colours, "--color", "", false, Value::text, "WHEN", kColoured, Group::output,
     "Colour hot rows: auto, on a terminal without NO_COLOR, which is the default; always, for a pager that wperf does "
     "not "
     "start; or never."},
    {Option::device, "--device", "", false, Value::device, "DEVICE", kOpening, Group::machine,
     "What measures: driver, windowsperf (Arm's driver), linux, or sim[:KEY=VALUE,...] for the simulated machine. "
     "Default: the environment variable WPERF_DEVICE, else the machine's own."},
    {Option::force_lock, "--force-lock", "", false, Value::none, "", kLocking, Group::machine,
     "Take the driver from another wperf that holds it. The other one ends with an error."},
    {Option::selftest, "--selftest", "", false, Value::none, "", kDoctor, Group::measured,
     "Let each device that is there measure a program whose counts, shares and call stacks are known, some seconds "
     "each, and print what came out as a block for a bug report."},
    {Option::fix, "--fix", "", false, Value::none, "", kDoctor, Group::measured,
     "Mend what can be mended: end trace sessions of Windows that a wperf left behind which was killed."},
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
    {Command::topdown, "wperf topdown --device sim:cpu=neoverse-n2 -- prog.exe",
     "What holds prog.exe back, and in which functions; on a machine with Arm's counters without --device."},
    {Command::topdown, "wperf topdown --device sim --node backend_stalled_cycles -- prog.exe",
     "What the backend of a Neoverse N1 waits for, even where the frontend is worse."},
    {Command::top, "wperf top --once", "What is hot right now, anywhere on the machine; without --once live, until q."},
    {Command::top, "wperf top --once --json --every 2s -- prog.exe", "One look at a program, for a script."},
    {Command::waits, "wperf waits -- ./program",
     "Why the threads of a program did not run: sums by thread, function and waker."},
    {Command::waits, "wperf waits --tree -- ./program",
     "The same as a call tree: where the program waited, and for how long."},
    {Command::push, "wperf push perf.data --url http://localhost:4040 --label build=1234",
     "To a Pyroscope of this machine, with a label by which builds can be compared."},
    {Command::report, "wperf report perf.data --mem",
     "Which loads waited, for what, and on which data, in a recording with Arm SPE."},
    {Command::record, "wperf record -g --tree -- ./program",
     "On Linux: where the time of a program goes, as a call tree."},
    {Command::report, "wperf report perf.data --children --tree --comm python3",
     "Where the time of one program went, and who called whom."},
    {Command::report, "wperf report perf.data --symbol-path server-files",
     "A recording of another machine, whose programs were copied below server-files."},
    {Command::diff, "wperf diff old.data new.data", "What grew and what shrank between two recordings."},
    {Command::diff, "wperf diff --fail-if 'function:parse>5%' old*.data -- new*.data",
     "Several runs a side say how sure that is; a CI job stops where parse became slower."},
    {Command::bench, "wperf bench -n 8 -- ./old --- ./new", "Count two builds in turn, eight times each."},
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
  // As the first guides to WindowsPerf print them.
  for (const std::string_view name : {"--pe_file", "--pdb_file", "--image_name"}) {
    if (token == name.substr(1)) token = name;
  }
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
    case Option::export_format:
      return request::kExportNames;
    case Option::push_target:
      return request::kPushTargets;
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
