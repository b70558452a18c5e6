// SPDX-License-Identifier: BSD-3-Clause
// Data of the page with exact times instead of slices: counters, marks, and on a page with all samples the time of each
// sample.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "base/ints.h"
#include "ground/text/json_writer.h"
#include "model/stacks/moments.h"
#include "model/stacks/stack_profile.h"

namespace wperf::html {

// One column of the page's data: numbers as varints, lowest bits first (docs/design/html.md).
struct Column {
  std::string_view name;
  std::string bytes = {};
  u64 count = 0;

  void add(u64 value) {
    ++count;
    for (; value >= 0x80; value >>= 7) bytes.push_back(static_cast<char>(value | 0x80));
    bytes.push_back(static_cast<char>(value));
  }
  // Zigzag encoding, modulo 2^64: small numbers of either sign become small numbers.
  void add_signed(u64 value) { add((value << 1) ^ (u64{0} - (value >> 63))); }
};

class MomentColumns {
 public:
  // Times are relative to `origin`.
  MomentColumns(const stacks::Moments& moments, u64 origin) : moments_(moments), origin_(origin) {}

  void add_counters();
  void add_marks();
  // `row_in_slice`: for each entry of the profile's slice counts, its row, counted from the first row of its slice;
  // kNothing if it was left out.
  void add_samples(const stacks::StackProfile& profile, const std::vector<u32>& row_in_slice);

  void write(text::JsonWriter& json) const;
  std::vector<const Column*> columns() const;
  std::string take_samples();  // the columns of add_samples()

 private:
  // The samples of one event on one core, sorted by time. Most distances are equal, so they compress well.
  struct Stream {
    u32 event = 0, core = 0;
    u64 count = 0;
    u64 usual_ns = 0;
  };

  const stacks::Moments& moments_;
  const u64 origin_;
  std::vector<Stream> streams_;
  u64 without_time_ = 0;
  std::vector<std::string_view> texts_;  // the texts of marks
  std::string sample_times_, sample_rows_;
  Column counter_times_{"counter time"}, counter_values_{"counter value"};
  Column mark_times_{"mark time"}, mark_pids_{"mark pid"}, mark_tids_{"mark tid"}, mark_kinds_{"mark kind"},
      mark_texts_{"mark text"};
};

}  // namespace wperf::html
