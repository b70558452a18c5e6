// SPDX-License-Identifier: BSD-3-Clause
// The events of a file and their ids. They determine the event of a record, and the record's layout.
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "formats/perf_data/record.h"
#include "formats/perf_data/sample.h"
#include "ground/diag/result.h"

namespace wperf::perf_data {

struct Event {
  EventAttributes attributes;
  std::vector<u64> ids;   // one for each CPU or thread of the event; empty in files with one event
  std::string_view name;  // as the user gave it; empty if the file does not say
};

// The thread and the time, as in the trailers of records that are not samples.
struct Identity {
  u64 fields = 0;  // SampleField bits of the fields that are known
  u32 pid = 0, tid = 0, cpu = 0;
  u64 time = 0, id = 0, stream_id = 0;
  bool has(u64 field) const { return (fields & field) != 0; }
};

struct SampleOwner {
  u32 pid = 0, tid = 0;
  u64 time = 0;
};
inline constexpr usize kSampleOwnerBytes = 5 * sizeof(u64);  // including the record's header

class EventTable {
 public:
  EventTable() = default;
  explicit EventTable(std::vector<Event> events);

  const std::vector<Event>& all() const { return events_; }
  u32 index_of(u64 id) const;  // returns kNoEvent if the id is unknown

  // The position of the id, in words from the front of a sample or from the end of a trailer. kNowhere if the events of
  // the file have different positions.
  static constexpr usize kNowhere = ~usize{0};
  usize sample_id_word() const { return sample_id_word_; }
  usize trailer_id_word() const { return trailer_id_word_; }
  bool same_layout() const { return same_layout_; }  // if true, a sample can be read before its event is known

  enum class Found : u8 { yes, damaged, unknown_event };
  // `out` must be new, or previously used only with this table.
  Found read(const Record& record, Sample& out) const;
  // Reads only the time of a sample. Returns nullopt if it has no time, or if its event is unknown.
  std::optional<u64> sample_time(const Record& record) const;
  // Reads only the thread and the time. The record's first kSampleOwnerBytes are enough.
  std::optional<SampleOwner> sample_owner(const Record& record) const;
  // Splits a kernel record into its fields and its trailer, which is stored in `identity`. Returns false if the record
  // is too short.
  bool split_trailer(const Record& record, Bytes& fields, Identity& identity) const;

 private:
  u32 sample_event(Bytes body, u64& id) const;
  const EventAttributes* sample_attributes(const Record& record) const;

  std::vector<Event> events_;
  std::vector<std::pair<u64, u32>> by_id_;  // sorted
  usize sample_id_word_ = kNowhere, trailer_id_word_ = kNowhere;
  bool same_layout_ = true;
};

}  // namespace wperf::perf_data
