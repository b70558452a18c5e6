// SPDX-License-Identifier: BSD-3-Clause
#include "app/cli/options.h"

#include "model/request/recording_view.h"

namespace wperf::cli {
namespace {

using request::Command;

// Names that WindowsPerf shows with the short form last (`--output, -o`) keep that order.
constexpr CommandRow kCommands[] = {
    {Command::stat, "stat", "", false, "", "[-- PROGRAM ARGUMENTS...]", "stat",
     "Count events on cores, either system-wide or while a program that wperf starts runs."},
    {Command::sample, "sample", "", false, "", "", "sample",
     "Sample a running program to find where in its code events happen."},
    {Command::record, "record", "", false, "", "-- PROGRAM ARGUMENTS...", "record",
     "Start a program and sample it to find where in its code events happen."},
    {Command::report, "report", "", false, "[FILE...]", "", "report",
     "Report on a recording: a perf.data file made by wperf or perf, or a Windows trace (.etl, .etl.zip, "
     ".diagsession). One trace session may be spread over several files. Default: perf.data in the current folder, "
     "otherwise the newest *.data there. Also takes the address of profiles on a server: "
     "clickhouse://HOST/DB?build=42&since=1h."},
    {Command::waits, "waits", "", false, "[FILE...]", "[-- PROGRAM ARGUMENTS...]", "waits",
     "Show why threads did not run: how long they ran, were ready and waited, in which functions, and which threads "
     "they waited for. Takes a program to start, the whole machine, or a recording."},
    {Command::push, "push", "", false, "FILE...", "", "push",
     "Send a recording to a server: Pyroscope, Parca, an OpenTelemetry collector or ClickHouse."},
    {Command::pgo, "pgo", "", false, "FILE...", "", "pgo",
     "Turn recordings into a sample profile for a compiler (clang, MSVC) or for BOLT, and judge it: how many samples "
     "it "
     "has, which were dropped, and whether they are enough. Several recordings are added up."},
    {Command::topdown, "topdown", "", false, "", "[-- PROGRAM ARGUMENTS...]", "topdown",
     "Show what held a program back: how its cores' pipeline slots were used, level by level, and which functions lost "
     "the most. Counts up to three times, then samples once."},
    {Command::top, "top", "", false, "", "[-- PROGRAM ARGUMENTS...]", "top",
     "Show live which functions of a program or of the whole machine are hot. Needs a terminal; --once samples once, "
     "for scripts."},
    {Command::diff, "diff", "", false, "BEFORE... [--] AFTER...", "", "diff",
     "Compare two builds of a program by their recordings or by counts from `stat --json`: what grew, what shrank, by "
     "how much, and whether the change is significant. Each host of a fleet (clickhouse://HOST/DB?build=42) "
     "is one run. To give several files per side, separate the sides with --."},
    {Command::bench, "bench", "", false, "", "-- PROGRAM ARGUMENTS... --- PROGRAM ARGUMENTS...", "bench",
     "Run two programs alternately, count events for both, and compare them as diff does."},
    {Command::list, "list", "-l", true, "", "", "list",
     "List the events, metrics and groups of metrics that -e and -m take."},
    {Command::man, "man", "", false, "[CPU/]NAME", "", "man",
     "Explain an event, a metric or a group of metrics, of this machine's CPU or of the named one."},
    {Command::test, "test", "", false, "", "", "test",
     "Show what the machine can count, the settings of wperf, and the schedule that the given events would get."},
    {Command::detect, "detect", "", false, "", "", "detect", "List the devices of the kernel driver."},
    {Command::machine, "machine", "", false, "start|run|ps|kill|stop", "[-- PROGRAM ARGUMENTS...]", "machine",
     "Keep a simulated Windows on Arm machine on, run programs on it, and measure it from other terminals. While it is "
     "on, `--device sim` refers to it."},
    {Command::guide, "guide", "", false, "", "", "assistants",
     "Print how to find a performance problem with wperf, on one page, for people and for assistants."},
    {Command::mcp, "mcp", "", false, "", "", "assistants",
     "Answer an assistant's questions about recordings over stdin and stdout, with the Model Context Protocol."},
    {Command::schema, "schema", "", false, "[NAME]", "", "schemas",
     "Print the JSON Schema of a document that --json prints; without NAME list them."},
    {Command::doctor, "doctor", "", false, "", "", "doctor",
     "Check everything a measurement needs and say how to get what is missing."},
    {Command::version, "--version", "", false, "", "", "version-help", "Show the versions of wperf and of its driver."},
    {Command::help, "-h", "--help", false, "", "", "version-help",
     "Show an overview of wperf. After a command: the help of that command, with examples and options."},
};

// Sets of commands that take the same options.
constexpr CommandSet kSampling = Command::sample | Command::record;
constexpr CommandSet kSampled = kSampling | Command::top;
constexpr CommandSet kOftenSampled = kSampled | Command::bench;
constexpr CommandSet kStarting = kSampled | Command::stat | Command::topdown;
constexpr CommandSet kMeasuring = kStarting | Command::bench;
constexpr CommandSet kTimed = kMeasuring | Command::waits;
constexpr CommandSet kAttaching = kStarting | Command::waits;
constexpr CommandSet kStacked = kSampling | Command::waits | Command::bench;
constexpr CommandSet kOperations = kSampling | Command::report;
// On the linux device, the views of recordings also apply to new recordings.
constexpr CommandSet kRecordings = kOperations | Command::waits;
constexpr CommandSet kTabled = kRecordings | Command::diff;
constexpr CommandSet kPictured = kTabled | Command::bench;
constexpr CommandSet kRows = kPictured | Command::top;
constexpr CommandSet kPaged = kPictured | Command::stat | Command::topdown;
constexpr CommandSet kVerbose = kPictured | Command::stat | Command::list;
// Commands with options that choose samples and find names.
constexpr CommandSet kChoosing = kTabled | Command::push;
constexpr CommandSet kNamed = kChoosing | Command::pgo | Command::bench | Command::topdown | Command::top;
constexpr CommandSet kPython = kSampled | Command::waits;
constexpr CommandSet kPythonShown = kPython | Command::report | Command::diff;
constexpr CommandSet kBranches = Command::record | Command::report;
constexpr CommandSet kLatency = kBranches | Command::sample;
constexpr CommandSet kCompared = Command::diff | Command::bench;
constexpr CommandSet kCountedOften = Command::stat | Command::bench;
constexpr CommandSet kExporting = Command::stat | Command::report;
constexpr CommandSet kEvents = kOftenSampled | Command::stat | Command::test;
constexpr CommandSet kCounting = Command::stat | Command::test;
constexpr CommandSet kMetrics = kCounting | Command::list;
constexpr CommandSet kWords = kEvents | Command::list;
constexpr CommandSet kFacts = Command::list | Command::test | Command::man | Command::detect | Command::version;
constexpr CommandSet kLocking = kMeasuring | kFacts;
constexpr CommandSet kOpening = kLocking | Command::waits | Command::doctor;
constexpr CommandSet kBriefed = kPaged | Command::doctor;
constexpr CommandSet kAnswering = kOpening | Command::machine | Command::report | Command::diff | Command::pgo;
constexpr CommandSet kQuiet = kAnswering | Command::push | Command::schema;
constexpr CommandSet kShownLong = kPaged | kFacts | Command::doctor | Command::schema | Command::help;
constexpr CommandSet kLabelled = kOperations | Command::push;
constexpr CommandSet kSending = kSampling | Command::push;
// Commands that send profiles to servers or read profiles from servers.
constexpr CommandSet kAsking = kSending | Command::report | Command::diff;

constexpr OptionRow kOptions[] = {
    {Option::events, "-e", "", false, Value::text, "EVENTS", kEvents, Group::measured,
     "Events, separated by commas: names from `wperf list`, raw numbers such as r1b or 0x1b, and groups in braces. "
     "Events of a group are always counted at the same time. The prefixes /dsu/, /dmc_clk/ and /dmc_clkdiv2/ select "
     "counters outside the cores. May be given several times. sample, record and top take NAME or NAME:INTERVAL (one "
     "sample every INTERVAL events), without groups or prefixes; sample and record also take arm_spe_0/NAME=VALUE,.../ "
     "for SPE. The help of each command names its default events."},
    {Option::metrics, "-m", "", false, Value::text, "METRICS", kCounting, Group::measured,
     "Metrics or groups of metrics from `wperf list`, separated by commas. May be given several times."},
    {Option::cores, "-c", "--cpu", false, Value::text, "CORES", kMeasuring | Command::machine, Group::measured,
     "Cores to count on: numbers and ranges such as 0,4-7. Default: all cores, or core 0 if wperf starts a program. "
     "sample and record take one core only (see --cores); sample has no default. If given twice, the last one applies. "
     "`machine run` keeps the program on this core."},
    {Option::timeout, "--timeout", "sleep", true, Value::duration, "DURATION", kTimed, Group::duration,
     "Length of one count or of the sampling: a number with up to two decimals and one of the units ms, s, m, h, d "
     "(default s). Without it, or with 0: until Ctrl-C or the end of the program; with -t the default is 1 s."},
    {Option::timeline, "-t", "", false, Value::none, "", Command::stat, Group::duration,
     "Timeline: count repeatedly, pause between the counts, and write one CSV file per kind of counter."},
    {Option::interval, "-i", "", false, Value::duration, "DURATION", Command::stat, Group::duration,
     "Pause between two counts of a timeline. Default: 60 s. 0 is allowed."},
    {Option::count, "-n", "", false, Value::number, "COUNT", kCountedOften, Group::duration,
     "Number of counts in a timeline (-t); -r repeats a program without one. Default: 0, until Ctrl-C. With bench: "
     "number of runs of each program, 4 to 1000 (default 8)."},
    {Option::runs, "-r", "", false, Value::number, "RUNS", Command::stat, Group::duration,
     "Run and count the program RUNS times, 1 to 1000, and show means and standard deviations."},
    {Option::kernel, "-k", "", false, Value::none, "", kMeasuring, Group::measured,
     "Include events that happen in kernel mode."},
    {Option::dmc, "--dmc", "", false, Value::number, "CHANNEL", Command::stat, Group::measured,
     "Count on this channel of the DDR memory controller only. Default: all channels."},
    {Option::metric_file, "-C", "", false, Value::file, "FILE", kMetrics, Group::measured,
     "Read metrics from FILE, one NAME:EVENTS per line; # starts a comment. They replace built-in metrics of the same "
     "name."},
    {Option::extra_events, "-E", "", false, Value::file, "EVENTS", kWords, Group::measured,
     "Define more events: NAME:HEX,NAME:HEX, or a file with such lines. A name may have a prefix such as /dsu/."},
    {Option::config, "--config", "", false, Value::text, "NAME=VALUE", kEvents, Group::measured,
     "Change a setting for this run. count.period is the length of a time slot in milliseconds (10 to 100, default "
     "100); it matters when more events are counted than there are counters. sample.limit is the maximum number of "
     "samples per second that the driver takes on each core (default 60000); administrators may raise it."},
    {Option::pe_file, "--pe_file", "", false, Value::file, "FILE", kStarting, Group::measured,
     "Program to start or to sample. stat starts it without arguments; a program after `--` replaces it."},
    {Option::pdb_file, "--pdb_file", "", false, Value::file, "FILE", kSampled, Group::names,
     "PDB file with symbols of the program or of one of its modules; the identity in the file decides which. May be "
     "given several times. Default: the file next to the program with the extension pdb."},
    {Option::image_name, "--image_name", "", false, Value::text, "NAME", kSampling, Group::measured,
     "Running program to sample. Default: the file name of the PE file."},
    {Option::spawn_delay, "--record_spawn_delay", "", false, Value::number, "MILLISECONDS", kStarting, Group::duration,
     "Let the started program run this long before measuring. Default: 0, measure from its first instruction."},
    {Option::process, "-p", "", false, Value::number, "PID", kAttaching, Group::measured,
     "Measure the running process with this number, including the threads and programs it starts. On the linux and etw "
     "devices."},
    {Option::sampled_cores, "--cores", "", false, Value::text, "CORES", kSampled, Group::measured,
     "Sample several cores at once: numbers and ranges such as 0,4-7. -c then only chooses the core on which record "
     "starts the program."},
    {Option::all_cores, "--all-cores", "", false, Value::none, "", kSampled, Group::measured,
     "Sample all cores at once."},
    {Option::jitter, "--jitter", "", false, Value::none, "", kOftenSampled, Group::measured,
     "Vary each interval by up to half in both directions, so that sampling does not run in step with a loop."},
    {Option::rate, "--freq", "", false, Value::number, "HZ", kOftenSampled, Group::measured,
     "Adapt the intervals so that each core gives about HZ samples per second of every event, 1 to 50000. Events with "
     "an explicit :INTERVAL keep it."},
    {Option::for_compilers, "--pgo", "", false, Value::none, "", Command::record, Group::measured,
     "Record for `wperf pgo`, which makes a profile for compilers: choose a high rate, and the event that best shows "
     "on this machine how often code runs. Also records branch stacks if the CPU has them. Keeps perf.data, or the "
     "FILE of -o."},
    {Option::print_wprp, "--print-wprp", "", false, Value::none, "", kSampling, Group::measured,
     "Do not sample; print a recording profile (.wprp) with which wpr.exe of Windows records the same. On the etw "
     "device."},
    {Option::symbol, "--symbol", "-s", true, Value::text, "TEXT", kTabled, Group::shown,
     "Show only functions with this name. ^TEXT matches the beginning, TEXT$ the end; case is ignored. Totals still "
     "include all functions."},
    {Option::display_row, "--sample-display-row", "", false, Value::number, "ROWS", kRows, Group::shown,
     "Number of functions to show for each event. Default: 50."},
    {Option::display_long, "--sample-display-long", "", false, Value::none, "", kRecordings, Group::shown,
     "Show decorated function names."},
    {Option::annotate, "--annotate", "", false, Value::none, "", kRecordings, Group::shown,
     "Show the source lines of the samples."},
    {Option::disassemble, "--disassemble", "", false, Value::none, "", kRecordings, Group::shown,
     "Also show the instructions of the samples. Implies --annotate."},
    {Option::by, "--by", "", false, Value::text, "TABLES", kRecordings, Group::shown,
     "Add tables by process, thread, module, core or caller (who calls the hot functions), separated by commas."},
    {Option::sample_timeline, "--timeline", "", false, Value::number, "MILLISECONDS", kOperations, Group::shown,
     "Add to the JSON how many samples each function had in every interval of this length."},
    {Option::symbol_path, "--symbol-path", "", false, Value::text, "PATH", kNamed, Group::names,
     "Where to look for symbols, in the format of _NT_SYMBOL_PATH: folders and srv*CACHE*URL, separated by semicolons. "
     "Searched before the folders of that variable."},
    {Option::export_perf_data, "--export_perf_data", "", false, Value::none, "", kSampling, Group::output,
     "Also write the samples to perf.data, in the current folder or in that of --output-prefix, for perf and tools "
     "that read its files."},
    {Option::output_perf_data, "--output-perf-data", "", false, Value::file, "FILE", kSampling, Group::output,
     "Same as --export_perf_data, but write to FILE. On the linux device -o with a name that ends in .data does this "
     "too."},
    {Option::stacks, "-g", "", false, Value::none, "", kStacked, Group::measured,
     "Record call stacks. Same as --call-graph auto."},
    {Option::call_graph, "--call-graph", "", false, Value::text, "HOW", kStacked, Group::measured,
     "Record call stacks. auto: copy the stack and unwind it while recording, then follow frame pointers where the "
     "copy ends. fp: follow frame pointers only. dwarf or dwarf,BYTES: store the copy in the file and unwind it when "
     "the file is read (default 8192 bytes, a multiple of 8, at most 65528). The driver and the simulated machine "
     "support frame pointers only, which every program for Windows on Arm keeps."},
    {Option::python, "--python", "", false, Value::none, "", kPython, Group::measured,
     "Record call stacks with the functions and lines of Python programs, in place of the interpreter's own frames. "
     "Implies -g, and takes 1000 samples per second. For CPython 3.11 to 3.15 on Linux, and 3.13 or newer on the "
     "simulated machine."},
    {Option::python_native, "--python=native", "", false, Value::none, "", kPython, Group::measured,
     "Same as --python, but keep the interpreter's own frames, too."},
    {Option::python_functions, "--python=functions", "", false, Value::none, "", kPythonShown, Group::shown,
     "Same as --python: each Python function is one frame. This is the default of report and diff."},
    {Option::python_lines, "--python=lines", "", false, Value::none, "", kPythonShown, Group::shown,
     "Same as --python, but each line of a Python function is one frame: parse:12 is line 12 of parse. Recordings "
     "always contain the lines, so report and diff have this option too."},
    {Option::max_stack, "--max-stack", "", false, Value::number, "N", kStacked, Group::measured,
     "Record at most N callers per sample, 1 to 127 (default 127). Copies of the stack are not limited."},
    {Option::memory, "--mem", "", false, Value::none, "", kOperations, Group::shown,
     "With SPE: show where loads and stores waited and for what, by data source, function, line, page and cache line; "
     "also branch mispredictions, TLB walks and false sharing."},
    {Option::records, "--records", "", false, Value::file, "FILE", kRecordings, Group::output,
     "With SPE: also write each record as a line of FILE, as JSON if its name ends in .json, otherwise as CSV; with - "
     "print the records instead of tables, as JSON with --json. With report on other recordings: write each sample "
     "with its stack to FILE, or with - to the terminal, as text, or as JSON lines with --json or a name that ends in "
     ".json."},
    {Option::sort, "--sort", "", false, Value::text, "KEYS", kTabled, Group::shown,
     "Columns of the table, separated by commas: comm, pid, tid, core, cputype (kind of core), module, symbol, line. "
     "Samples that agree in all of them share a row. Default: comm,module,symbol. diff accepts only `line`, which adds "
     "source lines."},
    {Option::comms, "--comm", "", false, Value::text, "NAMES", kChoosing, Group::shown,
     "Show only threads with these names, separated by commas, or one name that has commas. Percentages still "
     "refer to all samples, as with --pid, --tid, --module and --symbol; see --percentage."},
    {Option::pids, "--pid", "", false, Value::text, "NUMBERS", kChoosing, Group::shown, "Show only these processes."},
    {Option::tids, "--tid", "", false, Value::text, "NUMBERS", kChoosing, Group::shown, "Show only these threads."},
    {Option::modules, "--module", "", false, Value::text, "NAMES", kChoosing, Group::shown,
     "Show only these modules: libc.so.6, /usr/bin/python3, [kernel]."},
    {Option::time, "--time", "", false, Value::text, "FROM-TO", kChoosing, Group::shown,
     "Read only samples in this range of time, in seconds of the recording: 1.5-3, 1.5- or -3. Time 0 is when wperf "
     "began to record; for recordings of other tools it is the first sample."},
    {Option::idle, "--idle", "", false, Value::none, "", Command::report, Group::shown,
     "Include samples of idle cores. By default they are left out of Windows traces; perf.data files always include "
     "them, as in perf."},
    {Option::providers, "--providers", "", false, Value::none, "", Command::report, Group::shown,
     "For a Windows trace: list its events by provider and kind, with their number, bytes, first and last time. With "
     "--records: list, one by one, the events that no report uses; --time, --pid and --tid filter them."},
    {Option::spans, "--spans", "", false, Value::none, "", Command::report, Group::shown,
     "For a Windows trace: list the spans that programs marked with start and stop events, by provider and name: how "
     "often, how long, and how long their threads ran in them."},
    {Option::span, "--span", "", false, Value::text, "NAME", Command::report, Group::shown,
     "For a Windows trace: use only samples that a thread took between the start event and the stop event of this "
     "span. NAME or PROVIDER/NAME, as --spans lists them."},
    {Option::branches, "--branches", "", false, Value::none, "", kBranches, Group::shown,
     "Show which code branched where: how often, how often the prediction was wrong, and how many cycles passed. Needs "
     "recorded branches (LBR, BRBE, SPE). record on the linux device then records branch stacks with the samples; on "
     "other devices use -e arm_spe_0/branch_filter=1/."},
    {Option::latency, "--latency", "", false, Value::none, "", kLatency, Group::shown,
     "Weight each sample by the time that passed. Threads that run at the same time share it, so code that runs while "
     "no other thread runs is listed first. Needs recorded context switches; record on the linux device then records "
     "them."},
    {Option::parallelism, "--parallelism", "", false, Value::text, "N-M", Command::report, Group::shown,
     "Use only samples taken while N threads of the program ran, or N to M; 1 means that no other thread ran. Needs "
     "recorded context switches, as --latency does; the two options combine."},
    {Option::percentage, "--percentage", "", false, Value::text, "OF", kRecordings, Group::shown,
     "Base of percentages: `absolute` (default) means all samples, `relative` the samples that pass the filters. Only "
     "with report and on the linux device, like --percent-limit, --children, --tree, "
     "--callers, --callees, --folded and --export."},
    {Option::percent_limit, "--percent-limit", "", false, Value::number, "PERCENT", kRecordings, Group::shown,
     "Hide entries below PERCENT in call trees. Default: 0.5; 0 shows all."},
    {Option::children, "--children", "", false, Value::none, "", kRecordings, Group::shown,
     "Add a column with the inclusive cost of each function: its own and that of the functions it called. Needs "
     "recorded call stacks, as do --tree, --callers, --callees and --folded."},
    {Option::tree, "--tree", "", false, Value::none, "", kRecordings, Group::shown,
     "Show the call tree, from the outermost caller down."},
    {Option::callers, "--callers", "", false, Value::none, "", kRecordings, Group::shown,
     "Show who called the hot functions."},
    {Option::callees, "--callees", "", false, Value::none, "", kRecordings, Group::shown,
     "Show what the hot functions called."},
    {Option::folded, "--folded", "", false, Value::none, "", kPictured, Group::shown,
     "Print only the stacks, one per line with its number of samples, as flame graph tools read them; with diff, two "
     "numbers: before and after."},
    {Option::export_format, "--export", "", false, Value::text, "FORMAT", kExporting, Group::output,
     "Write the recording in the format of another tool to the FILE of -o, or with -o - to stdout: pprof, firefox, "
     "speedscope, folded, chrome, perfetto, perfetto-perf, callgrind, otlp, csv, sql, perf.data. Filters, --time and "
     "--inline choose what it contains; perf.data always gets the whole recording. With stat: prometheus, for "
     "node_exporter's textfile collector."},
    {Option::inlined, "--inline", "", false, Value::none, "", kChoosing, Group::shown,
     "Show functions that the compiler inlined as callees of the functions they were inlined into. Needs debug "
     "information and takes longer."},
    {Option::html, "--html", "", false, Value::file, "FILE", kPaged, Group::output,
     "Write the recording as one HTML file that opens in any browser without a network: flame graph, timeline, tables, "
     "and with --annotate or --disassemble the code of hot functions. `waits --html` shows where threads ran and "
     "waited, `stat -t --html` shows counts over time, `topdown --html` shows the tree, and `diff --html` shows what "
     "changed."},
    {Option::html_all, "--html-all", "", false, Value::none, "", kRecordings, Group::output,
     "With --html: store the exact time of each sample instead of the 20 ms interval it was in. The file becomes about "
     "six times as large."},
    {Option::svg, "--svg", "", false, Value::file, "FILE", kPictured, Group::output,
     "Write a flame graph as an SVG picture; with diff, orange means grew and blue means shrank."},
    {Option::critical_path, "--critical-path", "", false, Value::none, "", Command::waits, Group::shown,
     "Show the critical path: the chain of threads that determined when the recording, or the range of --time, ended. "
     "It is followed backwards from the thread of --tid, or without it from the program's first thread."},
    {Option::level, "--level", "", false, Value::number, "LEVEL", Command::topdown, Group::measured,
     "Deepest level of the tree to show; 1 is the first. Default: all levels."},
    {Option::node, "--node", "", false, Value::text, "NODE", Command::topdown, Group::measured,
     "Node of the tree to look into, such as backend_mem_bound. Default: the node with the largest loss."},
    {Option::counts_only, "--counts-only", "", false, Value::none, "", Command::topdown, Group::measured,
     "Skip the last run, which samples the functions."},
    {Option::once, "--once", "", false, Value::none, "", Command::top, Group::output,
     "Sample once, for the length of --every, and print the result; with --json as one document."},
    {Option::live_waits, "--waits", "", false, Value::none, "", Command::top, Group::measured,
     "Also record context switches, and show in which functions threads wait, how long and what for. On the linux and "
     "etw devices."},
    {Option::live_counters, "--counters", "", false, Value::text, "EVENTS", Command::top, Group::measured,
     "Also count these events and show their rates. Default: the events `stat` counts without -e. On the linux "
     "device."},
    {Option::shortest_wait, "--min", "", false, Value::text, "LENGTH", Command::waits, Group::shown,
     "List only waits of at least this length: a number with one of the units us, ms, s (default ms). The report says "
     "how many were left out."},
    {Option::on_off, "--on-off", "", false, Value::none, "", Command::waits, Group::shown,
     "Show where threads ran, were ready and waited, in nanoseconds: as one tree, or with --folded as one list of "
     "stacks. While recording, also sample once per millisecond where they run."},
    {Option::record_runs, "--record", "", false, Value::file, "NAME", Command::bench, Group::measured,
     "Record each run to NAME-before-1.data, NAME-after-1.data and so on, and show which functions changed. -e then "
     "works as with record."},
    {Option::warmup, "--warmup", "", false, Value::number, "ROUNDS", Command::bench, Group::duration,
     "Number of warm-up runs of both programs before counting, 0 to 1000 (default 0), so that their files are in "
     "memory."},
    {Option::baseline, "--baseline", "", false, Value::file, "FILE", Command::bench, Group::measured,
     "Compare one program with the baseline that --save-baseline wrote to FILE."},
    {Option::keep_baseline, "--save-baseline", "", false, Value::file, "FILE", Command::bench, Group::measured,
     "Write the cost of each run to FILE, for --baseline. Given two programs, save the second one; a single program is "
     "measured but not compared."},
    {Option::show_output, "--show-output", "", false, Value::none, "", Command::bench, Group::output,
     "Show the output of the programs. By default their output is discarded and their input is empty."},
    {Option::cost_per, "--per", "", false, Value::text, "UNIT", kCompared, Group::shown,
     "Unit of comparison: `run` (default) compares costs per run, `share` as shares of all samples, `second` per "
     "second; or the name of an event that was also counted or sampled, such as inst_retired."},
    {Option::fail_if, "--fail-if", "", false, Value::text, "CONDITION", kCompared, Group::output,
     "Exit with 5 if a cost grew significantly by more than the limit: 'elapsed>5%', 'cpu-time>5%', "
     "'inst_retired>0.5%', 'function:parse>5%', 'inclusive:parse>5%' (including the functions it calls; needs call "
     "stacks), 'module:libz.so.1>10%', 'line:main.c:12>3%' (with --sort symbol,line). The name * matches any. Quote "
     "the condition. May be given several times."},
    {Option::junit, "--junit", "", false, Value::file, "FILE", kCompared, Group::output,
     "Write the conditions of --fail-if as JUnit tests, which CI systems show; - means stdout."},
    {Option::markdown, "--markdown", "", false, Value::file, "FILE", kCompared, Group::output,
     "Write the comparison as Markdown; - means stdout."},
    {Option::github, "--github", "", false, Value::none, "", kCompared, Group::output,
     "Also print failed conditions as annotations that GitHub shows next to the code; on stderr if stdout is a "
     "document."},
    {Option::debuginfod, "--debuginfod", "", false, Value::none, "", kNamed, Group::names,
     "Ask the servers of DEBUGINFOD_URLS for files and debug information that this machine does not have."},
    {Option::json, "--json", "", false, Value::none, "", kAnswering, Group::output,
     "Print the result as one JSON document and nothing else."},
    {Option::brief, "--brief", "", false, Value::optional, "[=BYTES]", kBriefed, Group::output,
     "Print a summary as Markdown, for programs and assistants that read little: a verdict, at most ten rows with "
     "their "
     "intervals, what was lost, what is ruled out, and the next command. At most 4096 bytes, or BYTES (512 to "
     "1048576). With --json, the same as a JSON document."},
    {Option::quiet, "-q", "", false, Value::none, "", kQuiet, Group::output,
     "Print no text. Warnings and errors still appear."},
    {Option::verbose, "-v", "--verbose", false, Value::none, "", kVerbose, Group::output,
     "Show more details, in text and in JSON."},
    {Option::output, "--output", "-o", false, Value::file, "FILE", kAnswering, Group::output,
     "Write the JSON to FILE; -o - means --json. With sample, record and waits, FILE.data keeps the recording. With -t "
     "but without --json, FILE gets the CSV instead. With pgo, FILE gets the profile."},
    {Option::output_csv, "--output-csv", "", false, Value::file, "FILE", Command::stat, Group::output,
     "Write the CSV of a timeline to FILE. {timestamp}, {class} and {core} in the name are replaced."},
    {Option::directory, "--output-prefix", "--cwd", false, Value::folder, "FOLDER", kAnswering, Group::output,
     "Folder for the files of --output and --output-csv."},
    {Option::listen, "--listen", "", false, Value::text, "ADDRESS:PORT", Command::stat, Group::output,
     "Count repeatedly, each time for --timeout (default 1 s), and serve the counts to Prometheus at "
     "http://ADDRESS:PORT/metrics until Ctrl-C. A PORT without an address listens only on this machine. With -n, wperf "
     "counts COUNT times and then keeps serving the last counts."},
    {Option::push, "--push", "", false, Value::text, "URL", kSampling, Group::output,
     "Send a profile of each period to a server, as `wperf push` does, until Ctrl-C, the end of the program or of "
     "--timeout. It includes the cost of wperf itself."},
    {Option::every, "--every", "", false, Value::duration, "DURATION", kSampled, Group::duration,
     "With --push: length of a period (default 60 s). With top: time between two updates (default 1 s)."},
    {Option::pgo_format, "--format", "", false, Value::text, "FORMAT", Command::pgo, Group::output,
     "Format of the profile: llvm (for clang and rustc), extbinary (the same in binary form), llvm-unsymbolized (for "
     "llvm-profgen), bolt, or spt (for "
     "MSVC)."},
    {Option::binary, "--binary", "", false, Value::file, "FILE", Command::pgo, Group::names,
     "Program or library that the profile is for: its file, which must be of the recorded build, or its name. Default: "
     "the recorded program; with spt all modules."},
    {Option::push_url, "--url", "", false, Value::text, "URL", Command::push, Group::output,
     "Address of the server, http:// or https://, without the path of its API."},
    {Option::push_target, "--to", "", false, Value::text, "KIND", kSending, Group::output,
     "Kind of server: pyroscope (default), pyroscope-ingest (its older /ingest), parca, otlp or clickhouse (a "
     "database; its name is the path of the URL)."},
    {Option::push_label, "--label", "", false, Value::text, "NAME=VALUE", kLabelled, Group::output,
     "Label by which the server finds the profile, such as build=1234 or host=$(hostname). May be given several times. "
     "Default for service_name: the name of the program. With report --export csv, a label is a column of the table; "
     "the sql and otlp exports include labels too."},
    {Option::token_file, "--token-file", "", false, Value::file, "FILE", kAsking, Group::output,
     "File with the server's token or with USER:PASSWORD. Default: the environment variable WPERF_PUSH_TOKEN, "
     "otherwise no token."},
    {Option::plain_token, "--plain-token", "", false, Value::none, "", kAsking, Group::output,
     "Allow sending the token over http:// to another machine, where anyone on the network path can read it."},
    {Option::tenant, "--tenant", "", false, Value::text, "NAME", kAsking, Group::output,
     "Tenant, on a multi-tenant server (header X-Scope-OrgID)."},
    {Option::spool, "--spool", "", false, Value::folder, "FOLDER", kSending, Group::output,
     "Keep profiles in this folder if they cannot be sent, and send them with the next one. push without a FILE sends "
     "only these."},
    {Option::spool_limit, "--spool-limit", "", false, Value::text, "SIZE", kSending, Group::output,
     "Maximum size of the spool folder, with K, M or G. A number without a letter means M. When it is full, the oldest "
     "profiles are dropped with a warning. Default: 64M."},
    {Option::no_pager, "--no-pager", "", false, Value::none, "", kShownLong, Group::output,
     "Do not page text that is longer than the terminal. By default it goes through WPERF_PAGER, PAGER or less."},
    {Option::colours, "--color", "", false, Value::text, "WHEN", kRows, Group::output,
     "Colour hot rows: auto (default) on a terminal unless NO_COLOR is set; always, for example for another pager; or "
     "never."},
    {Option::device, "--device", "", false, Value::device, "DEVICE", kOpening | Command::machine, Group::machine,
     "Device that measures: driver, windowsperf (Arm's driver), etw (tracing by Windows), linux, or "
     "sim[:KEY=VALUE,...] for the simulated machine. Default: the environment variable WPERF_DEVICE, otherwise the "
     "device of this machine."},
    {Option::force_lock, "--force-lock", "", false, Value::none, "", kLocking, Group::machine,
     "Take the driver from another wperf that holds it. The other wperf ends with an error."},
    {Option::selftest, "--selftest", "", false, Value::none, "", Command::doctor, Group::measured,
     "Test each device of this machine with a program whose counts, shares and call stacks are known, for a few "
     "seconds each, and print the results as a block for a bug report."},
    {Option::fix, "--fix", "", false, Value::none, "", Command::doctor, Group::measured,
     "Clean up: stop trace sessions left behind by a wperf that was killed."},
    {Option::affinity, "--affinity", "", false, Value::text, "MASK", Command::machine, Group::measured,
     "Cores on which the threads of the program may run, as a hexadecimal mask: 2 is core 1, as for `start /affinity` "
     "of Windows. Without it and -c, they run on all cores."},
    {Option::detached, "-d", "", false, Value::none, "", Command::machine, Group::machine,
     "Do not wait for the program. It then has no input and no output."},
    {Option::root, "--root", "", false, Value::folder, "FOLDER", Command::mcp, Group::machine,
     "Folder with the recordings that may be read; new ones are also put there. Default: the current folder."},
    {Option::allow_record, "--allow-record", "", false, Value::none, "", Command::mcp, Group::machine,
     "The assistant may start programs and measure them. Without it, it can only read recordings."},
    {Option::all_help, "--all", "", false, Value::none, "", Command::help, Group::shown,
     "Show every command and option, as the manual page does."},
};

constexpr Example kExamples[] = {
    {Command::stat, "wperf stat -- ./program",
     "On Linux: the main costs of a program. Without -e, wperf counts the most useful events."},
    {Command::stat, "wperf stat -r 5 -- ./program", "The same, five times: means, and how much the runs differ."},
    {Command::stat, "wperf stat -e inst_spec,vfp_spec,ld_spec -c 0 --timeout 3",
     "Count three events on core 0 for three seconds."},
    {Command::stat, "wperf stat -m imix -e l1i_cache -c 7 sleep 10.5", "A metric and an event on core 7."},
    {Command::stat, "wperf stat -e '{ld_spec,st_spec},{vfp_spec,ase_spec}' -c 0 --timeout 2",
     "Two groups. PowerShell and Unix shells need the quotes; cmd must not have them."},
    {Command::stat, "wperf stat -m dcache --json -o dcache.json -- myprog.exe 1000",
     "Count while a program runs, and keep the result as JSON."},
    {Command::stat, "wperf stat -t -i 0 -n 5 --timeout 2 -m imix -c 1",
     "Five counts of two seconds each into a CSV file."},
    {Command::stat, "wperf stat -m l3_cache,ddr_bw --timeout 1", "Bandwidth of the shared cache and of the memory."},
    {Command::record, "wperf record -e ld_spec:100000 -c 1 --timeout 3 -- myprog.exe 1000",
     "Which functions load the most? One sample every 100000 loads."},
    {Command::record, "wperf record -e l1d_cache_refill:1000 --annotate --disassemble -- myprog.exe",
     "Source lines and instructions that miss the cache."},
    {Command::record, "wperf record --freq 1000 --all-cores --by thread,caller -- myprog.exe",
     "Cycles on all cores, 1000 samples per second and core, by thread, with callers of the hot functions."},
    {Command::record, "wperf record -e arm_spe_0/load_filter=1,min_latency=32/ --mem -- myprog.exe",
     "Which loads wait, for what, and on which data? Uses the Statistical Profiling Extension."},
    {Command::topdown, "wperf topdown --device sim:cpu=neoverse-n2 -- prog.exe",
     "What holds prog.exe back, and in which functions? On a machine with Arm's counters, leave out --device."},
    {Command::topdown, "wperf topdown --device sim --node backend_stalled_cycles -- prog.exe",
     "What does the backend of a Neoverse N1 wait for? Looks there even if the frontend loses more."},
    {Command::top, "wperf top --once", "What is hot on this machine right now? Without --once: live, until q."},
    {Command::top, "wperf top --once --json --every 2s -- prog.exe", "One look at a program, for a script."},
    {Command::waits, "wperf waits -- ./program",
     "Why did the threads of a program not run? Sums by thread, function and waker."},
    {Command::waits, "wperf waits --tree -- ./program",
     "The same as a call tree: where did the program wait, and for how long?"},
    {Command::push, "wperf push perf.data --url http://localhost:4040 --label build=1234",
     "Send to a Pyroscope server on this machine, with a label to compare builds by."},
    {Command::pgo, "wperf pgo perf.data --format llvm -o program.prof", "A profile of the recorded program for clang."},
    {Command::pgo, "wperf pgo monday.etl tuesday.etl --binary game.exe --format spt -o game.spt",
     "Two traces of Windows as one profile for MSVC."},
    {Command::report, "wperf report perf.data --mem",
     "Which loads waited, for what, and on which data? Needs a recording with Arm SPE."},
    {Command::record, "wperf record -g --tree -- ./program",
     "On Linux: where does a program spend its time? As a call tree."},
    {Command::report, "wperf report perf.data --children --tree --comm python3",
     "Where did one program spend its time, and who called whom?"},
    {Command::report, "wperf report perf.data --symbol-path server-files",
     "A recording from another machine, whose programs were copied below server-files."},
    {Command::diff, "wperf diff old.data new.data", "What grew and what shrank between two recordings?"},
    {Command::diff, "wperf diff --fail-if 'function:parse>5%' old*.data -- new*.data",
     "Several runs per side show whether the change is significant; a CI job stops if parse became slower."},
    {Command::bench, "wperf bench -n 8 -- ./old --- ./new",
     "Run two builds alternately, eight times each, and compare their counts."},
    {Command::sample, "wperf sample -e ld_spec:100000 --pe_file myprog.exe -c 1 --timeout 10",
     "Sample a program that already runs on core 1."},
    {Command::list, "wperf list -v", "Every event and metric, with formulas and explanations."},
    {Command::man, "wperf man neoverse-v2/ipc", "What does a metric mean on another CPU?"},
    {Command::test, "wperf test -e '{ld_spec,st_spec},inst_spec' --json", "Which schedule would these events get?"},
    {Command::machine, "wperf machine start --device sim:cpu=neoverse-v2",
     "Boot a machine that stays on until `wperf machine stop`."},
    {Command::machine, "wperf machine run -c 1 -- python_d.exe",
     "An interpreter on its core 1, with this terminal as its console. Measure it from another terminal: `wperf stat "
     "--device sim -m imix -c 1 --timeout 3`."},
    {Command::guide, "wperf guide", "Which command answers which question?"},
    {Command::mcp, "wperf mcp",
     "Command for an assistant's settings. The assistant starts it in the folder of the recordings."},
    {Command::schema, "wperf schema stat", "Which keys does the document of `wperf stat --json` have?"},
    {Command::doctor, "wperf doctor", "Why are there no counts?"},
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
  // The spelling in the first guides to WindowsPerf.
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
    case Option::pgo_format:
      return request::kPgoFormats;
    case Option::colours:
      return "auto always never";
    case Option::device:
      return "driver etw linux sim sim: windowsperf etw:fake windowsperf:fake";
    default:
      return {};
  }
}

bool takes_list(Option option) {
  return option == Option::by || option == Option::sort || option == Option::events || option == Option::metrics;
}

std::string with_value(std::string name, const OptionRow& row) {
  if (row.takes_word()) name += ' ';
  return name.append(row.value_name);
}

std::string usage_of(const OptionRow& row) {
  return "[" + with_value(std::string(row.name), row) + "]";
}

}  // namespace wperf::cli
