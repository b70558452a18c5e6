// SPDX-License-Identifier: BSD-3-Clause
// The options for sampling: events, Arm SPE, call stacks and tables.
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/ints.h"
#include "ground/diag/result.h"
#include "model/request/counted_items.h"

namespace wperf::request {

// One entry of a sampling list (contract 3.3): a core event, and its count between two samples.
inline constexpr u32 kDefaultInterval = 0x4000000;
struct SampledEvent {
  std::string text;             // as typed, without the interval
  std::optional<u32> number;    // raw: r1b, 27, 0x1b
  std::optional<u32> interval;  // nullopt if not given; never 0
  // `system:point` is a Linux tracepoint, or a name followed by a bad interval. Only plan can distinguish the two, so
  // plan reports this error.
  std::optional<diag::Error> interval_error;
};

// `NAME=VALUE` of -e arm_spe_0/…/ (contract 3.4). plan decides whether the filter exists.
struct SpeFilter {
  std::string name;
  u64 value = 0;
};
struct SpeList {
  std::vector<SpeFilter> filters;
};

// --symbol (contract 9.5).
struct SymbolFilter {
  std::string text;         // without ^ and $; empty for every name
  bool open_start = false;  // the name may have other text before it
  bool open_end = false;
};

// Tables that --by prints in addition to the table of functions.
enum class Breakdown { process, thread, module, core, caller };

struct SampleDisplay {
  bool decorated_names = false;
  bool annotate = false;  // implied by --disassemble
  bool disassemble = false;
  std::optional<SymbolFilter> symbol;
  std::vector<Breakdown> by;       // in the requested order, each once
  std::optional<u32> timeline_ms;  // --timeline: counts samples for each function and interval of this length; never 0
  bool memory = false;             // --mem: shows where loads and stores waited, and for what
};

// -g and --call-graph: the method to find the callers of a sample. `automatic` tries frame pointers and stack copies,
// and uses whichever works for each sample.
enum class StackSource { none, frame_pointers, stack_copies, automatic };
inline constexpr u32 kMostFrames = 127;
inline constexpr u32 kDefaultStackBytes = 8192, kMostStackBytes = 65528;
inline constexpr u32 kAutomaticStackBytes = 16384;
// --python: functions of Python programs are shown among the callers, instead of the interpreter's own frames or in
// addition to them.
enum class PythonFrames : u8 { none, folded, native };
struct CallStacks {
  StackSource source = StackSource::none;
  PythonFrames python = PythonFrames::none;
  u32 stack_bytes = kDefaultStackBytes;  // the size of each stack copy; a multiple of 8
  u32 most_frames = kMostFrames;         // at most this many callers for each sample
  bool may_be_missing = false;           // a device that records no stacks records only the samples
  bool wanted() const { return source != StackSource::none; }
  // Is the stack copied with each sample?
  bool copies() const { return source == StackSource::stack_copies || source == StackSource::automatic; }
};
constexpr CallStacks automatic_stacks() {
  return {.source = StackSource::automatic, .stack_bytes = kAutomaticStackBytes};
}

// Options that only `sample` and `record` take.
inline constexpr u32 kDefaultDisplayRows = 50;
struct Sampling {
  std::vector<SampledEvent> events;  // if empty, and without SPE: cycles
  std::optional<SpeList> spe;
  std::vector<CoreRange> cores;  // --cores; if empty, all_cores and Request::cores decide
  bool all_cores = false;        // --all-cores; overrides --cores
  bool whole_machine = false;    // the whole machine is recorded for as long as the program runs
  bool jitter = false;
  bool for_compilers = false;              // --pgo: plan chooses the event
  std::optional<u32> rate_hz;              // --freq; never 0
  u32 display_rows = kDefaultDisplayRows;  // --sample-display-row: functions per event
  SampleDisplay display;
  std::optional<std::string> symbol_path;     // --symbol-path
  std::vector<std::string> more_pdb_files;    // all values of --pdb_file except the last, which is in Request::pdb_file
  bool perf_data = false;                     // --export_perf_data
  std::optional<std::string> perf_data_file;  // --output-perf-data; default perf.data
  bool print_wprp = false;                    // prints a profile for Windows Performance Recorder instead of sampling
  std::optional<std::string> records_file;    // --records: a file for the individual SPE records
  bool keeps_spe_bytes = true;                // writes the unchanged SPE bytes to spe.data (contract 9.9)
  CallStacks call_stacks;
};

// Parsers for the values of -e and --call-graph of sample and record. plan looks up the names and checks them against
// the hardware.

// Parses a sampling list (contract 3.3): `ld_spec:100000,r1b`. It has no groups or prefixes, so a brace or slash is
// part of a name, which plan will not find.
diag::Result<std::vector<SampledEvent>> parse_sampling_list(std::string_view text);

// Parses perf's spellings: fp, dwarf, dwarf,BYTES.
diag::Result<CallStacks> parse_call_graph(std::string_view text);

// Is it `arm_spe_0/ld=1,min=100/` (contract 3.4)? Any other text is a sampling list.
bool is_spe_list(std::string_view text);
diag::Result<SpeList> parse_spe_list(std::string_view text);

// Parses the value of --by: `module,caller`. Each word may occur once; their order is kept. An empty word is an error.
diag::Result<std::vector<Breakdown>> parse_breakdown_list(std::string_view text);

// --symbol (contract 9.5): `^S` matches the beginning of a name, `S$` its end, `S` and `^S$` the whole name. A lone `^`
// or `$`, or an empty text, matches every name. Case is ignored. The commands and report decide which rows are hidden.
SymbolFilter parse_symbol_filter(std::string_view text);

// `name` must not include `:module`.
bool matches(const SymbolFilter& filter, std::string_view name);

}  // namespace wperf::request
