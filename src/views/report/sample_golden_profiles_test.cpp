// SPDX-License-Identifier: BSD-3-Clause
#include "views/report/sample_golden_profiles.h"

#include <fmt/format.h>

#include <utility>

namespace wperf::report::testing {
namespace {

using answers::SampleModule;
using compat::CodeBlock;
using compat::CompatView;
using compat::LineRow;
using compat::SampledEvent;
using compat::Symbol;
using compat::SymbolKind;
using compat::SymbolRow;

constexpr u64 kExe = 0x7ff7a2b10000, kDll = 0x7ffa10000000, kNtdll = 0x7ffb50000000;
constexpr u32 kExeIndex = 0, kDllIndex = 1, kNtdllIndex = 2;

SampleModule module_at(std::string name, u64 base, u64 image_base) {
  SampleModule module;
  module.name = name;
  module.path = "C:\\work\\" + name;
  module.base = base;
  module.size = 0x10000;
  module.image_base = image_base;
  return module;
}

CompatView googolplex() {
  CompatView profile;
  profile.run.target.image_name = "googolplex.exe";
  profile.run.target.process = 4711;
  profile.run.target.pe_file = "C:\\work\\googolplex.exe";
  profile.run.target.pdb_file = "C:\\work\\googolplex.pdb";
  profile.run.target.base_address = kExe + 0x1000;
  profile.run.target.runtime_delta = kExe - 0x140000000;
  SampleModule exe = module_at("googolplex.exe", kExe, 0x140000000);
  exe.main = true;
  exe.pdb_file = "C:\\work\\googolplex.pdb";
  exe.sections = {{.name = ".text", .rva = 0x1000, .virtual_size = 0x53c},
                  {.name = ".rdata", .rva = 0x2000, .virtual_size = 0x2a8}};
  SampleModule dll = module_at("bignum.dll", kDll, 0x180000000);
  dll.pdb_file = "C:\\work\\bignum.pdb";
  dll.sections = {{.name = ".text", .rva = 0x1000, .virtual_size = 0x94c}};
  SampleModule ntdll = module_at("ntdll.dll", kNtdll, 0x180000000);
  ntdll.reason = "no PDB found (looked for ntdll.pdb beside the image)";
  profile.run.target.modules = {exe, dll, ntdll};
  profile.symbols = {{.kind = SymbolKind::function, .name = "big_mul", .module = kDllIndex},
                     {.kind = SymbolKind::function, .name = "main", .module = kExeIndex},
                     {.kind = SymbolKind::function, .name = "parse<\"x\">", .module = kExeIndex},
                     {.kind = SymbolKind::unknown, .name = {}},
                     {.kind = SymbolKind::other_process, .name = {}},
                     {.kind = SymbolKind::function, .name = "RtlAllocateHeap", .module = kNtdllIndex}};
  profile.files = {{.path = "C:\\work\\bignum.c", .text = "int f(void);\n\tsum += a[i] * b[j];\n\treturn sum;\n"},
                   {.path = "C:\\work\\gr\u00fcn\\googolplex.c", .text = {}}};
  profile.run.cores = {{.core = 1, .generated = 256}};
  profile.run.elapsed_seconds = 3.334;
  return profile;
}

SymbolRow row_of(u32 symbol, std::vector<compat::PcCount> pcs) {
  SymbolRow row;
  row.symbol = symbol;
  for (const compat::PcCount& pc : pcs) row.count += pc.count;
  row.pcs = std::move(pcs);
  return row;
}

LineRow line_of(u32 file, u32 line, u64 hits, u32 module, u32 hot_rva, u32 code_begin, u32 code_end) {
  LineRow row;
  row.file = file;
  row.line = line;
  row.hits = hits;
  row.module = module;
  row.hot_rva = hot_rva;
  row.code_begin = code_begin;
  row.code_end = code_end;
  return row;
}

SampledEvent event_of(std::string name, u16 code, u32 interval, std::vector<SymbolRow> rows) {
  SampledEvent event;
  event.name = std::move(name);
  event.code = code;
  event.interval = interval;
  for (const SymbolRow& row : rows) event.samples += row.count;
  event.rows = std::move(rows);
  return event;
}

CodeBlock block_of(u32 module, u32 begin, std::vector<compat::Instruction> instructions) {
  CodeBlock block;
  block.module = module;
  block.begin = begin;
  block.end = begin + 4 * static_cast<u32>(instructions.size());
  block.instructions = std::move(instructions);
  return block;
}

}  // namespace

CompatView two_events_sampled() {
  CompatView profile = googolplex();
  profile.run.exit_code = 0;
  SymbolRow mul = row_of(0, {{kDll + 0x1034, 150}, {kDll + 0x1030, 40}, {kDll + 0x103c, 5}});
  mul.lines = {line_of(0, 2, 190, kDllIndex, 0x1034, 0x1030, 0x103c),
               line_of(0, 1234, 5, kDllIndex, 0x103c, 0x103c, 0x1040)};
  mul.lines[0].inlined = {{.function = "widen", .file = 1, .line = 12, .hits = 40}};
  SymbolRow main = row_of(1, {{kExe + 0x1100, 30}});
  main.lines = {line_of(1, 77, 30, kExeIndex, 0x1100, 0, 0)};
  SymbolRow parse = row_of(2, {{kExe + 0x1200, 16}, {kExe + 0x1204, 4}});
  SymbolRow unknown = row_of(3, {{0x12345678, 3}});
  SymbolRow other = row_of(4, {});
  other.count = 8;
  profile.events = {event_of("cycle", 0x11, 0x8000000, {mul, main}),
                    event_of("ld_spec", 0x70, 100'000, {std::move(mul), std::move(main), parse, other, unknown})};
  profile.events[0].fixed = true;
  profile.code = {block_of(kDllIndex, 0x1030,
                           {{.rva = 0x1030, .mnemonic = "ldr", .operands = "w12, [x1, x9, lsl #2]", .target = {}},
                            {.rva = 0x1034, .mnemonic = "umaddl", .operands = "x11, w12, w13, x11", .target = {}},
                            {.rva = 0x1038, .mnemonic = "b.ne", .operands = "0x180001010", .target = "big_mul+0x10"}}),
                  block_of(kDllIndex, 0x103c, {{.rva = 0x103c, .mnemonic = "ret", .operands = {}, .target = {}}})};
  for (SampleModule& module : profile.run.target.modules) module.samples = 0;
  profile.run.target.modules[kDllIndex].samples = 390;
  profile.run.target.modules[kExeIndex].samples = 80;
  return profile;
}

CompatView three_cores_sampled() {
  CompatView profile = googolplex();
  SymbolRow mul = row_of(0, {{kDll + 0x1034, 600}});
  mul.over_time = {100, 200, 300};
  SymbolRow heap = row_of(5, {{kNtdll + 0x40, 250}});
  heap.over_time = {250, 0, 0};
  SymbolRow main = row_of(1, {{kExe + 0x1100, 150}});
  main.over_time = {50, 50, 50};
  SampledEvent event = event_of("ld_spec", 0x70, 50'000, {std::move(mul), std::move(heap), std::move(main)});
  event.processes = {{.process = 4711, .name = "googolplex.exe", .count = 1000}};
  event.threads = {{.process = 4711, .thread = 4712, .count = 700}, {.process = 4711, .thread = 4713, .count = 300}};
  event.modules = {{.module = kDllIndex, .kind = SymbolKind::function, .count = 600},
                   {.module = kNtdllIndex, .kind = SymbolKind::function, .count = 250},
                   {.module = kExeIndex, .kind = SymbolKind::function, .count = 150}};
  event.cores = {{.core = 0, .count = 400}, {.core = 2, .count = 500}, {.core = 10, .count = 100}};
  event.callers = {{.symbol = 0, .caller = 1, .count = 500},
                   {.symbol = 0, .caller = answers::kNone, .count = 100},
                   {.symbol = 5, .caller = 1, .count = 250},
                   {.symbol = 1, .caller = answers::kNone, .count = 150}};
  profile.events = {std::move(event)};
  profile.run.target.modules[kDllIndex].samples = 600;
  profile.run.target.modules[kNtdllIndex].samples = 250;
  profile.run.target.modules[kExeIndex].samples = 150;
  profile.run.cores = {{.core = 0, .generated = 1400, .lost_ring_full = 1000, .lost_filtered = 0},
                       {.core = 2, .generated = 500},
                       {.core = 10, .generated = 105, .lost_ring_full = 0, .lost_filtered = 5}};
  profile.slices = {.count = 3, .length_ns = 500'000'000};
  profile.run.elapsed_seconds = 1.5;
  return profile;
}

CompatView nothing_sampled() {
  CompatView profile = googolplex();
  profile.events = {event_of("ld_spec", 0x70, 100'000, {})};
  profile.run.cores = {{.core = 1}};
  profile.run.elapsed_seconds = 1;
  return profile;
}

CompatView many_functions_sampled(u32 functions) {
  CompatView profile = googolplex();
  profile.symbols.clear();
  std::vector<SymbolRow> rows;
  for (u32 i = 0; i < functions; ++i) {
    profile.symbols.push_back(
        {.kind = SymbolKind::function, .name = fmt::format("function_{}", i), .module = kDllIndex});
    rows.push_back(row_of(i, {{kDll + u64{i} * 0x400, u64{functions} - i}}));
    std::vector<compat::Instruction> instructions;
    for (u32 rva = i * 0x400; rva < i * 0x400 + 0x400; rva += 4) {
      instructions.push_back({.rva = rva, .mnemonic = "add", .operands = "x1, x2, x3", .target = {}});
    }
    profile.code.push_back(block_of(kDllIndex, i * 0x400, std::move(instructions)));
    rows.back().lines = {line_of(0, i + 1, rows.back().count, kDllIndex, i * 0x400, i * 0x400, i * 0x400 + 0x400)};
  }
  profile.events = {event_of("ld_spec", 0x70, 100'000, std::move(rows))};
  return profile;
}

}  // namespace wperf::report::testing
