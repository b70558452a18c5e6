// SPDX-License-Identifier: BSD-3-Clause
// Hits per place → the rows of one event.
#pragma once
#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "analysis/naming/sample_naming.h"
#include "analysis/naming/sample_places.h"
#include "model/answers/address_answer.h"

namespace wperf::naming {

// Hits of a line of a function; where the code was inlined, also of the line there.
struct SourceLineHits {
  u32 file = answers::kNone, line = 0;
  u64 hits = 0;
  u32 module = answers::kNone;
  u32 rva = 0, code_begin = 0, code_end = 0;
  bool is_inlined = false;
  std::string_view inlined_function = {};
  u32 inlined_file = answers::kNone, inlined_line = 0;
};

// Lines of one symbol while they are counted.
class LineRows {
 public:
  // The most frequent places must come first: the first one of a line represents it.
  void add(const SourceLineHits& line);
  std::vector<answers::LineRow> take();

 private:
  struct Entry {
    answers::LineRow row;
    std::map<std::tuple<std::string, u32, u32>, u64> inlined;
  };
  std::map<std::pair<u32, u32>, Entry> lines_;  // by file and line
};

struct PlaceHits {
  u32 place = 0;  // number, index into the named places
  u64 hits = 0;
};

// `hits`: each place once. By symbol number; with lines, without slices of time. `pcs[kOtherProcess]` is the place of
// other processes.
std::vector<answers::SymbolRow> make_symbol_rows(const std::vector<PlaceHits>& hits, const std::vector<NamedPlace>& pcs,
                                                 NameTable& names);

// The place of each symbol in the order of the names that are shown.
std::vector<u32> name_ranks(const answers::CompatProfile& profile);
// Most samples first, then by name.
void sort_symbol_rows(const std::vector<u32>& ranks, std::vector<answers::SymbolRow>& rows);

// Fills event.threads and event.processes. `threads`: process << 32 | thread → samples.
void add_threads(const std::map<u64, u64>& threads, const std::vector<answers::ProcessName>& names,
                 answers::SampledEvent& event);

// Fills event.modules, and counts in the modules themselves.
void add_modules(const std::vector<PlaceHits>& hits, const std::vector<NamedPlace>& pcs,
                 const std::vector<answers::Symbol>& symbols, std::vector<answers::SampleModule>& modules,
                 answers::SampledEvent& event);
using ModuleSums = std::map<std::pair<u32, answers::SymbolKind>, u64>;  // kNone: nothing but the kind is known
void add_modules(const ModuleSums& sums, std::vector<answers::SampleModule>& modules, answers::SampledEvent& event);

}  // namespace wperf::naming
