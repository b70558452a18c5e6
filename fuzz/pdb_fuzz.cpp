// SPDX-License-Identifier: BSD-3-Clause
// Arbitrary PDBs. Each query returns an answer or nullopt in bounded time and memory, and the answers are consistent.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <vector>

#include "code/symbols/pdb/pdb_file.h"

namespace {

using namespace wperf::symbols;

void ask(const PdbFile& pdb, wperf::code::Rva rva) {
  std::vector<Frame> frames;
  pdb.frames_at(rva, frames);
  const Function* function = pdb.function_at(rva);
  if (function != nullptr && !function->is_public && (frames.empty() || frames.back().inlined)) std::abort();
  const auto line = pdb.line_at(rva);
  if (line.has_value() && line->size == 0) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto opened = PdbFile::open(std::as_bytes(std::span(data, size)));
  if (!opened.has_value()) {
    if (opened.error().text.empty()) std::abort();
    return 0;
  }
  const PdbFile& pdb = opened.value();
  for (wperf::u32 rva = 0x1000; rva < 0x1400; rva += 4) ask(pdb, {rva});
  std::size_t asked = 0;
  wperf::code::Rva last;
  for (const Function& function : pdb.functions()) {
    if (function.rva < last) std::abort();
    last = function.rva;
    if (++asked > 2000) continue;
    ask(pdb, function.rva);
    ask(pdb, {function.rva.value + function.size / 2});
    for (const Line& line : pdb.lines_of(function)) {
      if (line.rva < function.rva) std::abort();
    }
  }
  // Rows take 8 bytes in the file, and no row is read twice.
  if (pdb.all_lines().size() > size / 8) std::abort();
  if (pdb.functions().size() > size / 8) std::abort();
  static_cast<void>(pdb.publics());
  static_cast<void>(pdb.damage());
  return 0;
}
