// SPDX-License-Identifier: BSD-3-Clause
// WindowsPerf's view of a profile (contract 9): where events occurred, as functions, lines and addresses, and by
// process, thread, module, core, caller and time. Names are stored once, in `symbols`, `files` and the modules of the
// target; other members refer to them by index. Independent of OS and output format.
#pragma once
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/ints.h"
#include "model/answers/sampled_run.h"

namespace wperf::compat {

using answers::kNone;

enum class SymbolKind : u8 {
  function,
  unknown,        // in the target process, but without a name
  kernel,         // in the kernel, which has no module here
  other_process,  // outside of the target process
};

struct Symbol {
  SymbolKind kind = SymbolKind::unknown;
  std::string name;    // the name of a function
  u32 module = kNone;  // index into the target's modules; kNone: no module
};

struct SourceFile {
  std::string path;
  std::string text;  // empty if not read
};

struct PcCount {
  u64 address = 0;
  u64 count = 0;
};

// Hits of a line in code that was inlined there.
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
  u32 hot_rva = 0;                   // its most frequent address
  u32 code_begin = 0, code_end = 0;  // RVAs of the line's code around hot_rva; both equal if not known
  std::vector<InlinedHits> inlined;  // ordered by hits, the most first
};

struct SymbolRow {
  u32 symbol = 0;  // index into symbols
  u64 count = 0;
  std::vector<PcCount> pcs;    // ordered by frequency
  std::vector<LineRow> lines;  // ordered by hits, the most first
  std::vector<u32> over_time;  // samples in each time slice; empty without slices
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
  u32 module = kNone;                     // index into modules; kNone: only the kind is known
  SymbolKind kind = SymbolKind::unknown;  // used if module is kNone
  u64 count = 0;
};
struct CoreCount {
  u32 core = 0;
  u64 count = 0;
};
struct CallerCount {
  u32 symbol = 0;
  u32 caller = kNone;  // index into symbols; kNone: the return address was no longer in the link register
  u64 count = 0;
};

struct SampledEvent {
  std::string name;  // "cycle" for the fixed counter
  u16 code = 0;
  bool fixed = false;  // the fixed cycle counter
  u32 interval = 0;    // as requested
  u64 samples = 0;
  std::vector<SymbolRow> rows;  // all rows, ordered by samples
  std::vector<ProcessCount> processes;
  std::vector<ThreadCount> threads;
  std::vector<ModuleCount> modules;
  std::vector<CoreCount> cores;      // ascending by core; the other tables here are ordered by samples
  std::vector<CallerCount> callers;  // in the order of rows, then by samples; empty if not requested
};

struct Instruction {
  u32 rva = 0;
  std::string text;  // "b.ne  0x180001038 <mul+0x24>"
};

struct CodeBlock {
  u32 module = kNone;
  u32 begin = 0, end = 0;  // RVAs
  std::vector<Instruction> instructions;
};

struct TimeSlices {
  u32 count = 0;  // 0: not requested
  u64 length_ns = 0;
};

struct CompatView {
  answers::SampledRun run;
  std::vector<Symbol> symbols;
  std::vector<SourceFile> files;
  std::vector<SampledEvent> events;  // the fixed counter first, then by number; for SPE ordered by samples
  std::vector<CodeBlock> code;       // ordered by module, begin, end; empty if not disassembled
  TimeSlices slices;
};

// The name shown in reports: `name`, `name:module.dll`, `unknown`, `[kernel]`, `[other process]`.
std::string display_name(const CompatView& view, u32 symbol);
// The name without `:module.dll`.
std::string_view bare_name(const Symbol& symbol);
// The rows that a report shows, hottest first: up to `most` rows whose bare name passes the filter.
using NameFilter = std::function<bool(std::string_view)>;  // empty: every name
std::vector<const SymbolRow*> choose_rows(const CompatView& view, const SampledEvent& event, u32 most,
                                          const NameFilter& filter);
// Null if this code was not disassembled.
const CodeBlock* find_code(const CompatView& view, u32 module, u32 begin, u32 end);

}  // namespace wperf::compat
