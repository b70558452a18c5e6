// SPDX-License-Identifier: BSD-3-Clause
// The user's request, as plain structs, checked only against itself: no device, catalogue or file was looked at.
#pragma once
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "base/event_class.h"
#include "base/ints.h"
#include "ground/diag/result.h"
#include "model/request/comparison_wishes.h"
#include "model/request/push_request.h"

namespace wperf::request {

enum class Command {
  none,
  help,
  version,
  stat,
  sample,
  record,
  report,
  waits,
  push,
  topdown,
  list,
  test,
  man,
  detect,
  doctor,
  diff,
  bench,
  top
};

// One token of a counting list (contract 3.1): a name or a number, its class, and its group.
struct EventToken {
  EventClass event_class = EventClass::core;
  std::string text;           // as typed, without prefix and braces
  std::optional<u32> number;  // raw: r1b, 27, 0x1b
  std::optional<u32> group;   // index of the group within this list, 0-based
};
struct EventList {
  std::vector<EventToken> tokens;
};
struct MetricName {
  std::string name;  // a metric or a group of metrics
};
// -e and -m in the order of the command line: it decides the numbers of the groups.
using CountItem = std::variant<EventList, MetricName>;

struct CoreRange {
  u32 first = 0, last = 0;  // inclusive, first <= last
};

struct Duration {
  u64 milliseconds = 0;
};

struct Timeline {
  bool enabled = false;
  Duration interval{60'000};
  u64 count = 0;  // 0 = endless
};

// A setting that the parser found acceptable (contract 11.1); its value is a 32-bit decimal.
inline constexpr char kPeriodSetting[] = "count.period";
inline constexpr u32 kLeastPeriodMs = 10, kGreatestPeriodMs = 100;
inline constexpr char kSampleLimitSetting[] = "sample.limit";  // samples a second on each core
struct ConfigSetting {
  std::string name, value;
};

enum class Colours : u8 { on_terminals, always, never };

struct Outputs {
  bool json = false;
  bool quiet = false;
  bool verbose = false;
  bool paged = true;  // text longer than the screen may go through a pager
  Colours colours = Colours::on_terminals;
  std::optional<std::string> json_file;  // --output/-o (with -t see contract 6.3)
  std::optional<std::string> csv_file;   // --output-csv
  std::optional<std::string> directory;  // --cwd/--output-prefix
};

struct Program {
  std::string path;          // of the image
  std::string command_line;  // "PROG ARG…"
  bool after_dashes = false;
};

// One entry of a sampling list (contract 3.3): an event of the cores, and how many of it pass from sample to sample.
inline constexpr u32 kDefaultInterval = 0x4000000;
struct SampledEvent {
  std::string text;             // as typed, without the interval
  std::optional<u32> number;    // raw: r1b, 27, 0x1b
  std::optional<u32> interval;  // nullopt: not given; never 0
  // `system:point` is a tracepoint of Linux, or a NAME followed by something that is not an interval. Only plan knows.
  std::optional<diag::Error> interval_error;
};

// `NAME=VALUE` of -e arm_spe_0/…/ (contract 3.4). Whether there is such a filter is for plan to say.
struct SpeFilter {
  std::string name;
  u64 value = 0;
};
struct SpeList {
  std::vector<SpeFilter> filters;
};

// --symbol (contract 9.5). See symbol_filter.h.
struct SymbolFilter {
  std::string text;         // without ^ and $; empty: every name
  bool open_start = false;  // the text may follow anything
  bool open_end = false;
};

// Tables that --by adds.
enum class Breakdown { process, thread, module, core, caller };

inline constexpr u32 kDefaultDisplayRows = 50;
struct SampleDisplay {
  u32 rows = kDefaultDisplayRows;  // functions per event
  bool decorated_names = false;
  bool annotate = false;  // also set by --disassemble
  bool disassemble = false;
  std::optional<SymbolFilter> symbol;
  std::vector<Breakdown> by;       // as asked for, each once
  std::optional<u32> timeline_ms;  // --timeline: samples per function and stretch of time; never 0
  bool memory = false;             // --mem: where loads and stores waited, and for what
};

// -g and --call-graph: how the callers of a sample are found. automatic: by frame pointers and by copies, as it works
// for each sample.
enum class StackSource { none, frame_pointers, stack_copies, automatic };
inline constexpr u32 kMostFrames = 127;
inline constexpr u32 kDefaultStackBytes = 8192, kMostStackBytes = 65528;
inline constexpr u32 kAutomaticStackBytes = 16384;
struct CallStacks {
  StackSource source = StackSource::none;
  u32 stack_bytes = kDefaultStackBytes;  // of each copy; a multiple of 8
  u32 most_frames = kMostFrames;         // callers of a sample
  bool wanted() const { return source != StackSource::none; }
  // Is a copy of the stack taken with each sample?
  bool copies() const { return source == StackSource::stack_copies || source == StackSource::automatic; }
};
constexpr CallStacks automatic_stacks() {
  return {.source = StackSource::automatic, .stack_bytes = kAutomaticStackBytes};
}

// Options that only `sample` and `record` take.
struct Sampling {
  std::vector<SampledEvent> events;  // without any (and without SPE): cycles
  std::optional<SpeList> spe;
  std::vector<CoreRange> cores;  // --cores; empty: see all_cores and Request::cores
  bool all_cores = false;        // --all-cores; goes before --cores
  bool whole_machine = false;    // a program limits the time, but the whole machine is recorded
  bool jitter = false;
  std::optional<u32> rate_hz;  // --freq; never 0
  SampleDisplay display;
  std::optional<std::string> symbol_path;     // --symbol-path
  std::vector<std::string> more_pdb_files;    // --pdb_file given before the last one, which is Request::pdb_file
  bool perf_data = false;                     // --export_perf_data
  std::optional<std::string> perf_data_file;  // --output-perf-data; without: perf.data
  bool print_wprp = false;                    // instead of sampling: a profile for Microsoft's recorder
  std::optional<std::string> records_file;    // --records: of SPE, one by one
  bool keeps_spe_bytes = true;                // unchanged, in spe.data (contract 9.9)
  CallStacks call_stacks;
};

// Options that only `report` takes, for recordings that are lists of samples. core_kind: "cputype".
enum class SortBy { comm, pid, tid, core, core_kind, module, symbol, line };
struct TimeSpan {
  std::optional<double> from, to;  // seconds after the first sample
};
inline constexpr u64 kPageSliceNs = 20'000'000;  // the resolution in time of an HTML page
// --export: forms of a profile that other tools read.
enum class ExportFormat : u8 {
  pprof,
  firefox,
  speedscope,
  folded,
  chrome,
  perfetto,
  perfetto_perf,  // with samples that its older versions know
  callgrind,
  otlp,
  csv,
  sql,
  perf_data,
  prometheus,  // for counts only
};

// The wanted range of thread numbers.
struct ThreadNumbers {
  u32 from = 1, to = 1;
};

struct RecordingView {
  std::vector<SortBy> sort;  // the columns, which also define the rows; empty: comm, module, symbol
  std::vector<std::string> comms, modules;
  std::vector<u32> pids, tids;
  std::optional<TimeSpan> time;
  bool children = false;            // called functions count for the caller, too
  bool idle = false;                // for a trace: samples of idle cores, too
  std::vector<u32> trace_cores;     // for a trace: only samples of these cores; empty: all
  bool providers = false;           // for a trace: events by provider
  bool spans = false;               // for a trace: the spans that programs marked with starts and stops
  std::optional<std::string> span;  // for a trace: only the threads' time in spans of this name
  bool relative = false;            // percentages refer to the samples that the filters leave
  bool tree = false, callers = false, callees = false;
  bool folded = false;
  bool latency = false;                      // samples count for the time that went by
  std::optional<ThreadNumbers> parallelism;  // only samples that were taken while so many threads ran
  bool debuginfod = false;                   // servers may be asked for files
  std::optional<double> percent_limit;       // call trees leave out smaller shares; nullopt: the default of a view
  std::optional<std::string> html_file, svg_file;  // pages to be written
  bool html_all = false;                           // with the time of each sample
  std::optional<ExportFormat> export_format;
  bool inlined = false;  // functions that the compiler inlined are separate frames
  bool needs_switches() const { return latency || parallelism.has_value(); }
  bool wants_page() const { return html_file.has_value() || svg_file.has_value(); }
};

// Options that only `waits` takes.
struct WaitView {
  bool critical_path = false;
  bool on_off = false;  // running and waiting in one profile
  u64 min_ns = 0;       // shorter waits are not listed
};

// Options that only `topdown` takes.
struct TopdownView {
  std::optional<u32> level;  // how deep to go; 1 is the first; never 0
  std::string node;          // the node to go to; empty: where the most is lost
  bool sampled = true;       // a last run samples, to find the functions
};

// Options that only `top` takes.
struct LiveView {
  bool once = false;     // prints one stretch of time
  u64 period_ms = 1000;  // how long a stretch is; never 0
  bool waits = false;    // shows where threads wait, too
  // Counted while sampling; an empty list: the default events of `stat`.
  std::optional<std::vector<CountItem>> counters = {};
};

// Options that only `doctor` takes.
struct DoctorWork {
  bool selftest = false;  // tests the devices with known work
  bool fix = false;       // repairs what can be repaired
};

struct Request {
  Command command = Command::none;
  std::vector<std::string> arguments;  // as typed, without the program's name
  std::string device;                  // --device or WPERF_DEVICE, as given; empty = the machine's own
  std::vector<CountItem> items;
  std::vector<std::string> extra_events;  // -E texts or file paths
  std::vector<std::string> metric_files;  // -C
  std::vector<CoreRange> cores;           // -c; empty = all, or of a program to start the first
  std::optional<Duration> timeout;        // nullopt or 0 = until Ctrl-C
  Timeline timeline;
  bool kernel = false;
  std::optional<u32> dmc_channel;  // nullopt: all
  std::vector<ConfigSetting> config;
  Outputs outputs;
  std::optional<std::string> man_topic;
  std::optional<std::string> data_file;    // read by `report` and `waits`
  bool data_file_is_kept = true;           // false: its name is temporary, because the file was just recorded
  std::vector<std::string> further_files;  // of the same session
  std::optional<std::string> pe_file, pdb_file, image_name;
  std::optional<Program> program;
  std::optional<Program> second_program;  // compared by `bench` with the first
  std::optional<u32> process;             // -p: a running program, by its number
  std::optional<u32> runs;                // -r: how often the program is counted; never 0
  std::optional<u32> spawn_delay_ms;      // nullopt: measure from the first instruction of the program on
  Sampling sampling;
  RecordingView recording;
  WaitView waits;
  TopdownView topdown;
  LiveView live;
  DoctorWork doctor;
  Push push;
  std::optional<std::string> listen;  // for stat: ADDRESS:PORT at which counts can be read
  Comparison comparison;
  bool force_lock = false;
  std::optional<Command> help_topic;    // the command that help is to explain
  bool all_help = false;                // every command and option
  std::vector<std::string> unexpected;  // unknown tokens, to be warned about
  std::vector<std::string> warnings;    // whole lines for stderr that do not end the run

  u64 duration_ms() const { return timeout.has_value() ? timeout->milliseconds : 0; }
};

}  // namespace wperf::request
