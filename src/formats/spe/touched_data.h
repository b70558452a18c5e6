// SPDX-License-Identifier: BSD-3-Clause
// Cache lines and pages of data with their counts, and for each line the threads and places that touched it. There may
// be as many as there are records, so their number is limited: the busiest are kept.
#pragma once
#include <vector>

#include "base/ints.h"
#include "formats/spe/number_table.h"

namespace wperf::spe {

inline constexpr u64 kLineBytes = 64, kPageBytes = 4096;

// The counts of a line or a page.
struct DataCounts {
  u64 hits = 0, stores = 0, refills = 0, walks = 0;
  u64 peer = 0;  // the data came from another core's cache, or had been modified there
  u64 latency = 0, timed = 0;

  void add(const DataCounts& other);
};
struct PageHits {
  u64 address = 0;
  bool other_process = false;
  DataCounts counts;
};
// One instruction of one thread that touches one offset of a line.
struct LinePlace {
  u32 site = 0;
  u32 thread = 0;
  u32 offset = 0;
  DataCounts counts;
};
struct LineHits {
  u64 address = 0;
  bool other_process = false;
  DataCounts counts;
  std::vector<LinePlace> places;  // ordered by their first hits
  u64 without_place = 0;          // hits of further places, which are not stored
};

struct TouchedDataLimits {
  u32 most_lines = 0, most_pages = 0, most_places = 0;
};

class TouchedData {
 public:
  explicit TouchedData(const TouchedDataLimits& limits) : limits_(limits) {}

  // `place.offset` is ignored; it follows from the address.
  void add(u64 address, bool other_process, LinePlace place);
  // `site_of_other`: for each site of `other`, the number of this object's site.
  void merge(const TouchedData& other, const std::vector<u32>& site_of_other);

  u64 forgotten_lines() const { return forgotten_lines_; }  // hits of lines that were removed to save memory
  u64 forgotten_pages() const { return forgotten_pages_; }
  usize bytes() const;

  u32 page_count() const { return page_numbers_.size(); }
  PageHits page(u32 number) const;
  u32 line_count() const { return line_numbers_.size(); }
  const DataCounts& counts_of_line(u32 number) const { return lines_[number].counts; }
  LineHits line_without_places(u32 number) const;
  LineHits line(u32 number) const;

 private:
  static constexpr u32 kNone = NumberTable::kNone;
  struct Line {
    DataCounts counts;
    u64 without_place = 0;
    u32 first_place = kNone;
  };
  struct Place {
    DataCounts counts;
    u32 site = 0, thread = 0, offset = 0;
    u32 next = kNone;  // the next place of the same line
  };

  Line& line_of(u64 key);
  void add_place(Line& line, const LinePlace& place);
  void add_page(u64 key, const DataCounts& counts);
  void shrink_lines();
  void shrink_pages();

  TouchedDataLimits limits_;
  u64 forgotten_lines_ = 0, forgotten_pages_ = 0;
  NumberTable line_numbers_, page_numbers_;  // keyed by address, with a bit for other processes
  Column<Line> lines_;
  Column<Place> places_;
  Column<DataCounts> pages_;
};

}  // namespace wperf::spe
