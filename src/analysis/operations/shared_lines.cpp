// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/operations/shared_lines.h"

#include <algorithm>
#include <tuple>
#include <utility>

namespace wperf::operations {
namespace {

using spe::LineHits;
using spe::LinePlace;

bool two_threads(const LinePlace& a, const LinePlace& b) {
  return a.thread != b.thread && (a.counts.stores != 0 || b.counts.stores != 0);
}

// Evaluates the places that use one line; returns false if threads do not compete for the line.
bool is_contended(const std::vector<const LinePlace*>& places, SharedLine& line) {
  bool contended = false;
  for (usize i = 0; i < places.size(); ++i) {
    for (usize j = i + 1; j < places.size(); ++j) {
      if (!two_threads(*places[i], *places[j])) continue;
      if (places[i]->offset == places[j]->offset) {
        line.same_offset = true;
      } else {
        contended = true;
      }
    }
  }
  return contended;
}

SharingPlace place_row(const LinePlace& place, const MemoryInput& input) {
  const spe::DataCounts& counts = place.counts;
  return {.place = input.code_place(place.site),
          .thread = place.thread,
          .offset = place.offset,
          .hits = counts.hits,
          .stores = counts.stores,
          .refills = counts.refills,
          .peer = counts.peer,
          .mean_latency = mean_latency(counts)};
}

u32 count_threads(const std::vector<const LinePlace*>& places) {
  std::vector<u32> threads;
  for (const LinePlace* place : places) threads.push_back(place->thread);
  std::sort(threads.begin(), threads.end());
  return static_cast<u32>(std::unique(threads.begin(), threads.end()) - threads.begin());
}

}  // namespace

std::vector<SharedLine> shared_lines(const spe::TouchedData& data, const MemoryInput& input) {
  std::vector<SharedLine> shared;
  std::vector<const LinePlace*> places;
  for (u32 number = 0; number < data.line_count(); ++number) {
    const spe::DataCounts& counts = data.counts_of_line(number);
    if (counts.hits < 2 || counts.refills + counts.peer == 0) continue;
    const LineHits line = data.line(number);
    // Equal addresses in different processes are different lines.
    if (line.other_process || line.places.size() < 2) continue;
    places.clear();
    for (const LinePlace& place : line.places) {
      if (place.thread != spe::kNoThread && input.places.number_of_site(place.site) != kOtherProcess) {
        places.push_back(&place);
      }
    }
    SharedLine row{.address = line.address,
                   .hits = line.counts.hits,
                   .refills = line.counts.refills,
                   .peer = line.counts.peer,
                   .mean_latency = mean_latency(line.counts),
                   .threads = count_threads(places),
                   .without_place = line.without_place};
    if (!is_contended(places, row)) continue;
    for (const LinePlace* place : places) row.places.push_back(place_row(*place, input));
    std::sort(row.places.begin(), row.places.end(), [](const SharingPlace& a, const SharingPlace& b) {
      return std::tie(b.hits, a.offset, a.thread, a.place) < std::tie(a.hits, b.offset, b.thread, b.place);
    });
    shared.push_back(std::move(row));
  }
  std::sort(shared.begin(), shared.end(), [](const SharedLine& a, const SharedLine& b) {
    const u64 a_cost = a.refills + a.peer, b_cost = b.refills + b.peer;
    return std::tie(b_cost, b.hits, a.address) < std::tie(a_cost, a.hits, b.address);
  });
  return shared;
}

}  // namespace wperf::operations
