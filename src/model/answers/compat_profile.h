// SPDX-License-Identifier: BSD-3-Clause
// The immutable answer of one sampling run: where the events happened, as functions, lines and addresses, and also by
// process, thread, module, core, caller and time. Names are kept once, in `symbols`, `modules` and `files`; everything
// else refers to them by index. Knows neither OS nor output format.
#pragma once
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/ints.h"

namespace wperf::answers {

inline constexpr u32 kNone = ~u32{0};  // an index that refers to nothing

enum class SymbolKind : u8 {
  function,
  unknown,        // in the target process, but without a name
  kernel,         // in the kernel, which has no module here
  other_process,  // outside of the target process
};

struct Symbol {
  SymbolKind kind = SymbolKind::unknown;
  std::string name;    // the name of a function
  u32 module = kNone;  // index into modules; kNone: no module
};

struct ModuleSection {
  std::string name;
  u32 rva = 0, virtual_size = 0;
};

struct SampleModule {
  std::string name;  // base name as loaded
  std::string path;
  std::string pdb_file;  // the PDB with its names; empty: none
  u64 base = 0;          // its address in memory
  u32 size = 0;
  u64 image_base = 0;  // the preferred address of its file
  std::vector<ModuleSection> sections;
  bool main = false;    // the program itself: its functions are shown without module name
  bool kernel = false;  // in the kernel's address space
  std::string reason;   // why it has no better names; empty: they are the best possible
  u64 samples = 0;      // of all events; set by the builder
};

struct SourceFile {
  std::string path;
  std::string text;  // contents; empty: not read
};

// The sampled program; known before the first sample.
struct SampleTarget {
  std::string image_name;  // base name of the program
  u32 process = 0;
  std::string pe_file, pdb_file;
  u64 base_address = 0;   // of the entry point, at run time
  u64 runtime_delta = 0;  // base_address - (image base + entry RVA), modulo 2^64
  std::vector<SampleModule> modules;
};

struct PcCount {
  u64 address = 0;
  u64 count = 0;
};

// Hits of one line that happened in code inlined there.
struct InlinedHits {
  std::string function;
  u32 file = kNone;  // index into files
  u32 line = 0;
  u64 hits = 0;
};

struct LineRow {
  u32 file = kNone;  // index into files
  u32 line = 0;
  u64 hits = 0;
  u32 module = kNone;
  u32 hot_rva = 0;                   // the place of its most frequent address
  u32 code_begin = 0, code_end = 0;  // RVAs of the line's code around hot_rva; equal: not known
  std::vector<InlinedHits> inlined;  // most hits first
};

struct SymbolRow {
  u32 symbol = 0;  // index into symbols
  u64 count = 0;
  std::vector<PcCount> pcs;    // most frequent first
  std::vector<LineRow> lines;  // most hits first
  std::vector<u32> over_time;  // samples per time slice; empty without slices
};

struct ProcessCount {
  u32 process = 0;
  std::string name;  // empty: not known
  u64 count = 0;
};
struct ThreadCount {
  u32 process = 0, thread = 0;
  u64 count = 0;
};
struct ModuleCount {
  u32 module = kNone;                     // index into modules, or
  SymbolKind kind = SymbolKind::unknown;  // the kind of place if there is no name
  u64 count = 0;
};
struct CoreCount {
  u32 core = 0;
  u64 count = 0;
};
struct CallerCount {
  u32 symbol = 0;
  u32 caller = kNone;  // index into symbols; kNone: the return address is not in the register any more
  u64 count = 0;
};

struct SampledEvent {
  std::string name;  // "cycle" for the fixed counter
  u16 code = 0;
  bool fixed = false;  // the fixed cycle counter
  u32 interval = 0;    // as requested
  u64 samples = 0;
  std::vector<SymbolRow> rows;  // all of them, most samples first
  std::vector<ProcessCount> processes;
  std::vector<ThreadCount> threads;
  std::vector<ModuleCount> modules;
  std::vector<CoreCount> cores;      // ascending; the others most samples first
  std::vector<CallerCount> callers;  // in the order of rows, then most samples first; empty: not asked for
};

// The driver's totals for one core, lost samples included.
struct CoreSamples {
  u32 core = 0;
  u64 generated = 0;
  u64 lost_ring_full = 0;   // the tool did not collect fast enough
  u64 lost_filtered = 0;    // from an exception level that was not wanted, or from another program
  u64 held_back = 0;        // intervals that made no sample, because samples would have come too fast
  u64 throttled = 0;        // times the system stopped sampling because it took too much time
  u64 unreadable = 0;       // records that made no sense
  u64 register_losses = 0;  // times the counters' registers were found wiped, and set up anew
};

struct Instruction {
  u32 rva = 0;
  std::string mnemonic, operands;
  std::string target;  // the target of a branch: "name+0x24"; empty: none
};

struct CodeBlock {
  u32 module = kNone;
  u32 begin = 0, end = 0;  // RVAs
  std::vector<Instruction> instructions;
};

struct TimeSlices {
  u32 count = 0;  // 0: not asked for
  u64 length_ns = 0;
};

struct CompatProfile {
  SampleTarget target;
  std::vector<Symbol> symbols;
  std::vector<SourceFile> files;
  std::vector<SampledEvent> events;  // fixed counter first, then by event number
  std::vector<CoreSamples> cores;
  std::vector<CodeBlock> code;  // by module, begin, end; empty: not disassembled
  TimeSlices slices;
  std::optional<u32> exit_code;  // the program's exit code, if it ended by itself
  double elapsed_seconds = 0;
  std::string note;  // why this event was chosen, if the user named none; empty: no reason is given

  u64 samples_generated() const;
  u64 samples_dropped() const;
};

// As reports show it: `name`, `name:module.dll`, `unknown`, `[kernel]`, `[other process]`.
std::string display_name(const CompatProfile& profile, u32 symbol);
// The same without `:module.dll`.
std::string_view bare_name(const Symbol& symbol);
// The rows a report shows, hottest first: at most `most` of those whose bare name the filter lets pass.
using NameFilter = std::function<bool(std::string_view)>;  // empty: every name
std::vector<const SymbolRow*> choose_rows(const CompatProfile& profile, const SampledEvent& event, u32 most,
                                          const NameFilter& filter);
// None: not disassembled.
const CodeBlock* find_code(const CompatProfile& profile, u32 module, u32 begin, u32 end);
// The text of a line, without its end; empty if the file was not read or is shorter.
std::string_view source_line(const SourceFile& file, u32 line);
// "name+0x24", "name" at its start.
std::string place_text(std::string_view name, u32 offset);

}  // namespace wperf::answers
