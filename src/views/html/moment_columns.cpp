// SPDX-License-Identifier: BSD-3-Clause
#include "views/html/moment_columns.h"

#include <algorithm>
#include <map>
#include <utility>

namespace wperf::html {
namespace {

using stacks::kNothing;

// The median of the first distances; most other distances are close to it.
u64 usual_distance(const std::vector<u64>& times) {
  constexpr usize kEnough = 4096;
  std::vector<u64> distances;
  for (usize i = 1; i < std::min(times.size(), kEnough); ++i) {
    if (times[i] > times[i - 1]) distances.push_back(times[i] - times[i - 1]);
  }
  if (distances.empty()) return 0;
  const auto middle = distances.begin() + static_cast<std::ptrdiff_t>(distances.size() / 2);
  std::nth_element(distances.begin(), middle, distances.end());
  return *middle;
}

}  // namespace

void MomentColumns::add_counters() {
  for (const stacks::CounterTrack& track : moments_.counters) {
    u64 before = origin_;
    for (const stacks::CounterPoint& point : track.points) {
      counter_times_.add_signed(point.time_ns - before);
      counter_values_.add(point.value + 1);  // 0: kNotCounted
      before = point.time_ns;
    }
  }
}

void MomentColumns::add_marks() {
  std::map<std::string_view, u32> numbers;
  u64 before = origin_;
  for (const stacks::Mark& mark : moments_.marks) {
    mark_times_.add_signed(mark.time_ns - before);
    before = mark.time_ns;
    mark_pids_.add(mark.pid);
    mark_tids_.add(mark.tid);
    mark_kinds_.add(static_cast<u32>(mark.kind));
    const auto [entry, is_new] = numbers.try_emplace(mark.text, static_cast<u32>(texts_.size()));
    if (is_new) texts_.emplace_back(mark.text);
    mark_texts_.add(entry->second);
  }
}

// Slice counts were made in the order of the samples, so a second pass over the samples finds the entry of each.
void MomentColumns::add_samples(const stacks::StackProfile& profile, const std::vector<u32>& row_in_slice) {
  struct Newest {
    u32 slice = kNothing, entry = 0;
  };
  struct Packed {
    std::vector<u64> times;
    Column rows;
  };
  const stacks::SampleMoments& samples = moments_.samples;
  std::vector<Newest> newest(profile.samples.size());
  std::map<std::pair<u32, u32>, Packed> packed;  // keyed by event and core
  u32 entries = 0;
  for (usize i = 0; i < samples.size(); ++i) {
    const u32 row = samples.rows[i];
    const u64 time = samples.times_ns[i];
    const u32 slice = profile.slices.at(time);
    if (newest[row].slice != slice) newest[row] = {slice, entries++};
    const u32 place = row_in_slice[newest[row].entry];
    if (place == kNothing) continue;
    if (time == 0) {
      ++without_time_;
      continue;
    }
    Packed& to = packed[{profile.samples[row].event, profile.samples[row].core}];
    to.times.push_back(time);
    to.rows.add(place);
  }
  for (auto& [key, one] : packed) {
    const u64 usual = usual_distance(one.times);
    Column times;
    u64 before = origin_;
    for (const u64 time : one.times) {
      times.add_signed(time - before - usual);
      before = time;
    }
    sample_times_ += times.bytes;
    sample_rows_ += one.rows.bytes;
    streams_.push_back({key.first, key.second, one.times.size(), usual});
    one = {};
  }
}

void MomentColumns::write(text::JsonWriter& json) const {
  json.begin_array("streams");
  for (const Stream& one : streams_) {
    json.begin_array();
    for (const u64 value : {u64{one.event}, u64{one.core}, one.count, one.usual_ns}) json.integer(value);
    json.end_array();
  }
  json.end_array();
  json.integer("without_time", without_time_);
  json.begin_array("counters");
  for (const stacks::CounterTrack& track : moments_.counters) {
    json.begin_array();
    json.string(track.name);
    json.string(track.unit);
    json.integer(track.core == kNothing ? 0 : u64{track.core} + 1);
    json.integer(track.task == kNothing ? 0 : u64{track.task} + 1);
    json.integer(track.points.size());
    json.end_array();
  }
  json.end_array();
  json.begin_array("mark_texts");
  for (const std::string_view text : texts_) json.string(text);
  json.end_array();
}

std::string MomentColumns::take_samples() {
  sample_times_ += sample_rows_;
  sample_rows_ = {};
  return std::move(sample_times_);
}

std::vector<const Column*> MomentColumns::columns() const {
  return {&counter_times_, &counter_values_, &mark_times_, &mark_pids_, &mark_tids_, &mark_kinds_, &mark_texts_};
}

}  // namespace wperf::html
