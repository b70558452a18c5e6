// SPDX-License-Identifier: BSD-3-Clause
#include "formats/spe/touched_data.h"

#include <algorithm>

namespace wperf::spe {

namespace {

constexpr u64 kOtherProcess = 1;  // a bit of a key that no address uses: the data belongs to another process

u64 key_of(u64 address, u64 unit, bool other_process) {
  return (address & ~(unit - 1)) | (other_process ? kOtherProcess : 0);
}

// A number of hits that at least half of the entries do not exceed.
template <class Value, class Hits>
u64 median_hits(const Column<Value>& column, Hits&& hits_of) {
  std::vector<u64> hits(column.size());
  for (usize i = 0; i < hits.size(); ++i) hits[i] = hits_of(column[i]);
  const auto middle = hits.begin() + static_cast<std::ptrdiff_t>(hits.size() / 2);
  std::nth_element(hits.begin(), middle, hits.end());
  return *middle;
}

}  // namespace

void DataCounts::add(const DataCounts& other) {
  hits += other.hits;
  stores += other.stores;
  refills += other.refills;
  walks += other.walks;
  peer += other.peer;
  latency += other.latency;
  timed += other.timed;
}

void TouchedData::add(u64 address, bool other_process, LinePlace place) {
  add_page(key_of(address, kPageBytes, other_process), place.counts);
  Line& line = line_of(key_of(address, kLineBytes, other_process));
  line.counts.add(place.counts);
  place.offset = static_cast<u32>(address & (kLineBytes - 1));
  add_place(line, place);
  if (lines_.size() > limits_.most_lines) shrink_lines();
}

void TouchedData::merge(const TouchedData& other, const std::vector<u32>& site_of_other) {
  forgotten_lines_ += other.forgotten_lines_;
  forgotten_pages_ += other.forgotten_pages_;
  for (u32 i = 0; i < other.page_count(); ++i) add_page(other.page_numbers_.key(i), other.pages_[i]);
  for (u32 i = 0; i < other.line_count(); ++i) {
    const Line& its = other.lines_[i];
    Line& mine = line_of(other.line_numbers_.key(i));
    mine.counts.add(its.counts);
    mine.without_place += its.without_place;
    for (u32 n = its.first_place; n != kNone; n = other.places_[n].next) {
      const Place& place = other.places_[n];
      add_place(
          mine,
          {.site = site_of_other[place.site], .thread = place.thread, .offset = place.offset, .counts = place.counts});
    }
    if (lines_.size() > limits_.most_lines) shrink_lines();
  }
}

TouchedData::Line& TouchedData::line_of(u64 key) {
  const u32 number = line_numbers_.at(key);
  return number == lines_.size() ? lines_.add({}) : lines_[number];
}

void TouchedData::add_place(Line& line, const LinePlace& place) {
  u32* link = &line.first_place;
  u32 known = 0;
  for (; *link != kNone; link = &places_[*link].next, ++known) {
    Place& one = places_[*link];
    if (one.site != place.site || one.thread != place.thread || one.offset != place.offset) continue;
    one.counts.add(place.counts);
    return;
  }
  if (known >= limits_.most_places) {
    line.without_place += place.counts.hits;
    return;
  }
  *link = static_cast<u32>(places_.size());
  places_.add({.counts = place.counts, .site = place.site, .thread = place.thread, .offset = place.offset});
}

void TouchedData::add_page(u64 key, const DataCounts& counts) {
  const u32 number = page_numbers_.at(key);
  if (number == pages_.size()) pages_.add({});
  pages_[number].add(counts);
  if (pages_.size() > limits_.most_pages) shrink_pages();
}

// Removes the rarer half, so that this is rarely called. A line that is hit often is kept.
void TouchedData::shrink_lines() {
  const u64 few = median_hits(lines_, [](const Line& line) { return line.counts.hits; });
  TouchedData kept(limits_);
  for (u32 i = 0; i < line_count(); ++i) {
    const Line& line = lines_[i];
    if (line.counts.hits <= few) {
      forgotten_lines_ += line.counts.hits;
      continue;
    }
    Line& copy = kept.line_of(line_numbers_.key(i));
    copy = line;
    u32* link = &copy.first_place;
    for (u32 n = line.first_place; n != kNone; n = places_[n].next) {
      *link = static_cast<u32>(kept.places_.size());
      link = &kept.places_.add(places_[n]).next;
    }
  }
  line_numbers_ = std::move(kept.line_numbers_);
  lines_ = std::move(kept.lines_);
  places_ = std::move(kept.places_);
}

void TouchedData::shrink_pages() {
  const u64 few = median_hits(pages_, [](const DataCounts& counts) { return counts.hits; });
  NumberTable numbers;
  Column<DataCounts> pages;
  for (u32 i = 0; i < page_count(); ++i) {
    if (pages_[i].hits <= few) {
      forgotten_pages_ += pages_[i].hits;
    } else {
      numbers.at(page_numbers_.key(i));
      pages.add(pages_[i]);
    }
  }
  page_numbers_ = std::move(numbers);
  pages_ = std::move(pages);
}

usize TouchedData::bytes() const {
  return line_numbers_.bytes() + page_numbers_.bytes() + lines_.bytes() + places_.bytes() + pages_.bytes();
}

PageHits TouchedData::page(u32 number) const {
  const u64 key = page_numbers_.key(number);
  return {.address = key & ~kOtherProcess, .other_process = (key & kOtherProcess) != 0, .counts = pages_[number]};
}

LineHits TouchedData::line_without_places(u32 number) const {
  const u64 key = line_numbers_.key(number);
  const Line& line = lines_[number];
  return {.address = key & ~kOtherProcess,
          .other_process = (key & kOtherProcess) != 0,
          .counts = line.counts,
          .places = {},
          .without_place = line.without_place};
}

LineHits TouchedData::line(u32 number) const {
  LineHits hits = line_without_places(number);
  for (u32 n = lines_[number].first_place; n != kNone; n = places_[n].next) {
    const Place& place = places_[n];
    hits.places.push_back({.site = place.site, .thread = place.thread, .offset = place.offset, .counts = place.counts});
  }
  return hits;
}

}  // namespace wperf::spe
