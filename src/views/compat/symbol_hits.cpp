// SPDX-License-Identifier: BSD-3-Clause
#include "views/compat/symbol_hits.h"

#include <algorithm>

namespace wperf::compat {

std::vector<LineRow> LineRows::take() {
  std::vector<LineRow> rows;
  rows.reserve(lines_.size());
  for (auto& [key, entry] : lines_) {
    for (const auto& [inner, hits] : entry.inlined) {
      entry.row.inlined.push_back(
          {.function = std::get<0>(inner), .file = std::get<1>(inner), .line = std::get<2>(inner), .hits = hits});
    }
    std::sort(entry.row.inlined.begin(), entry.row.inlined.end(), [](const InlinedHits& a, const InlinedHits& b) {
      return std::tie(b.hits, a.function, a.file, a.line) < std::tie(a.hits, b.function, b.file, b.line);
    });
    rows.push_back(std::move(entry.row));
  }
  std::sort(rows.begin(), rows.end(), [](const LineRow& a, const LineRow& b) {
    return std::tie(b.hits, a.file, a.line) < std::tie(a.hits, b.file, b.line);
  });
  return rows;
}

std::vector<std::span<PlaceHits>> by_symbol(std::vector<PlaceHits>& hits, usize symbols) {
  std::vector<usize> ends(symbols + 1);
  for (const PlaceHits& one : hits) ++ends[one.symbol + 1];
  for (usize symbol = 0; symbol < symbols; ++symbol) ends[symbol + 1] += ends[symbol];
  std::vector<usize> next(ends.begin(), ends.end() - 1);
  std::vector<PlaceHits> dealt(hits.size());
  for (const PlaceHits& one : hits) dealt[next[one.symbol]++] = one;
  hits = std::move(dealt);
  std::vector<std::span<PlaceHits>> groups;
  groups.reserve(symbols);
  for (usize symbol = 0; symbol < symbols; ++symbol) {
    groups.push_back(std::span(hits).subspan(ends[symbol], ends[symbol + 1] - ends[symbol]));
  }
  return groups;
}

std::span<PlaceHits> joined(std::span<PlaceHits> places) {
  std::sort(places.begin(), places.end(), [](const PlaceHits& a, const PlaceHits& b) {
    return std::tie(a.address, a.site) < std::tie(b.address, b.site);
  });
  usize count = 0;
  for (const PlaceHits& one : places) {
    if (count != 0 && places[count - 1].address == one.address && places[count - 1].site == one.site) {
      places[count - 1].hits += one.hits;
    } else {
      places[count++] = one;
    }
  }
  return places.first(count);
}

std::span<PlaceHits> most_first(std::span<PlaceHits> places) {
  std::sort(places.begin(), places.end(), [](const PlaceHits& a, const PlaceHits& b) {
    return a.hits != b.hits ? a.hits > b.hits : a.address < b.address;
  });
  return places;
}

}  // namespace wperf::compat
