// SPDX-License-Identifier: BSD-3-Clause
// The samples of symbols by address and by line, from which the rows of a view are made.
#pragma once
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "model/stacks/stack_profile.h"
#include "views/compat/compat_rows.h"

namespace wperf::compat {

// The lines of one symbol while they are counted.
class LineRows {
 public:
  struct Hits {
    LineRow row;  // without inlined code
    bool is_inlined = false;
    std::string_view inlined_function = {};
    u32 inlined_file = kNone, inlined_line = 0;
  };
  // The most frequent places must be added first: the first place of a line represents the line.
  void add(const Hits& line) {
    const auto [entry, is_new] = lines_.try_emplace({line.row.file, line.row.line});
    Entry& known = entry->second;
    if (is_new) {
      known.row = line.row;
    } else {
      known.row.hits += line.row.hits;
    }
    if (!line.is_inlined) return;
    known.inlined[{std::string(line.inlined_function), line.inlined_file, line.inlined_line}] += line.row.hits;
  }
  std::vector<LineRow> take();

 private:
  struct Entry {
    LineRow row;
    std::map<std::tuple<std::string, u32, u32>, u64> inlined;
  };
  std::map<std::pair<u32, u32>, Entry> lines_;  // keyed by file and line
};

// The samples of a symbol at one address.
struct PlaceHits {
  u32 symbol = 0, site = stacks::kNothing;
  u64 address = 0, hits = 0;
};

// Groups the hits by symbol; symbols are numbered from 0. Faster than sorting.
std::vector<std::span<PlaceHits>> by_symbol(std::vector<PlaceHits>& hits, usize symbols);
// Joins equal places, because the profile has a row for each caller of a place.
std::span<PlaceHits> joined(std::span<PlaceHits> places);
std::span<PlaceHits> most_first(std::span<PlaceHits> places);

}  // namespace wperf::compat
