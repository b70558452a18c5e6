// SPDX-License-Identifier: BSD-3-Clause
// The options for sampling: events, Arm SPE, call stacks, and the tables of samples.
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/ints.h"
#include "ground/diag/result.h"
#include "model/request/counted_items.h"

namespace wperf::request {

// One entry of a sampling list (contract 3.3): an event of the cores, and its count from sample to sample.
inline constexpr u32 kDefaultInterval = 0x4000000;
struct SampledEvent {
  std::string text;             // as typed, without the interval
  std::optional<u32> number;    // raw: r1b, 27, 0x1b
  std::optional<u32> interval;  // nullopt if not given; never 0
  // `system:point` is a tracepoint of Linux, or a NAME followed by something that is not an interval. Only plan can
  // tell.
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
  bool open_start = false;  // the text may come anywhere in the name
  bool open_end = false;
};

// Tables that --by prints in addition to the table of functions.
enum class Breakdown { process, thread, module, core, caller };

inline constexpr u32 kDefaultDisplayRows = 50;
struct SampleDisplay {
  u32 rows = kDefaultDisplayRows;  // functions per event
  bool decorated_names = false;
  bool annotate = false;  // also set by --disassemble
  bool disassemble = false;
  std::optional<SymbolFilter> symbol;
  std::vector<Breakdown> by;       // as requested, each once
  std::optional<u32> timeline_ms;  // --timeline: samples per function and stretch of time; never 0
  bool memory = false;             // --mem: where loads and stores waited, and for what
};

// -g and --call-graph: how the callers of a sample are found. automatic: by frame pointers and by copies, whichever
// works for each sample.
enum class StackSource { none, frame_pointers, stack_copies, automatic };
inline constexpr u32 kMostFrames = 127;
inline constexpr u32 kDefaultStackBytes = 8192, kMostStackBytes = 65528;
inline constexpr u32 kAutomaticStackBytes = 16384;
// --python: the functions of Python programs are among the callers, in place of the interpreter's own frames, or with
// them.
enum class PythonFrames : u8 { none, folded, native };
struct CallStacks {
  StackSource source = StackSource::none;
  PythonFrames python = PythonFrames::none;
  u32 stack_bytes = kDefaultStackBytes;  // of each copy; a multiple of 8
  u32 most_frames = kMostFrames;         // callers of a sample
  bool wanted() const { return source != StackSource::none; }
  // Is the stack copied with each sample?
  bool copies() const { return source == StackSource::stack_copies || source == StackSource::automatic; }
};
constexpr CallStacks automatic_stacks() {
  return {.source = StackSource::automatic, .stack_bytes = kAutomaticStackBytes};
}

// Options that only `sample` and `record` take.
struct Sampling {
  std::vector<SampledEvent> events;  // if there are none (and no SPE), cycles
  std::optional<SpeList> spe;
  std::vector<CoreRange> cores;  // --cores; if empty, see all_cores and Request::cores
  bool all_cores = false;        // --all-cores; overrides --cores
  bool whole_machine = false;    // a program limits the time, but the whole machine is recorded
  bool jitter = false;
  bool for_compilers = false;  // --pgo: plan chooses the event
  std::optional<u32> rate_hz;  // --freq; never 0
  SampleDisplay display;
  std::optional<std::string> symbol_path;     // --symbol-path
  std::vector<std::string> more_pdb_files;    // all --pdb_file but the last, which is Request::pdb_file
  bool perf_data = false;                     // --export_perf_data
  std::optional<std::string> perf_data_file;  // --output-perf-data; default perf.data
  bool print_wprp = false;                    // instead of sampling: a profile for Microsoft's recorder
  std::optional<std::string> records_file;    // --records: of SPE, one by one
  bool keeps_spe_bytes = true;                // unchanged, in spe.data (contract 9.9)
  CallStacks call_stacks;
};

// The values of -e and --call-graph after sample and record. plan looks names up and knows what the hardware has.

// Sampling lists (contract 3.3): `ld_spec:100000,r1b`. There are no groups and no prefixes, so braces and slashes are
// part of a name that plan will not find.
diag::Result<std::vector<SampledEvent>> parse_sampling_list(std::string_view text);

// In perf's spelling: fp, dwarf, dwarf,BYTES.
diag::Result<CallStacks> parse_call_graph(std::string_view text);

// `arm_spe_0/ld=1,min=100/` (contract 3.4); any other text is a sampling list.
bool is_spe_list(std::string_view text);
diag::Result<SpeList> parse_spe_list(std::string_view text);

// The value of --by: `module,caller`. Each word at most once, in the order of the text. An empty place is an error.
diag::Result<std::vector<Breakdown>> parse_breakdown_list(std::string_view text);

// --symbol (contract 9.5): `^S` a beginning, `S$` an end, `S` and `^S$` the whole name; a lone `^` or `$`, or an empty
// text, matches every name. Upper and lower case are the same. commands and report decide which rows it hides.
SymbolFilter parse_symbol_filter(std::string_view text);

// `name` without `:module`.
bool matches(const SymbolFilter& filter, std::string_view name);

}  // namespace wperf::request
