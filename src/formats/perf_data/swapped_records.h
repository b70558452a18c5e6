// SPDX-License-Identifier: BSD-3-Clause
// Records and event attributes of the other byte order, turned around in place. Called by byte_order and recording.
#pragma once
#include <span>

#include "formats/perf_data/event_table.h"
#include "formats/perf_data/features.h"

namespace wperf::perf_data {

// A perf_event_attr of `bytes`.
void swap_attributes(std::span<std::byte> bytes);
void swap_feature(Feature feature, std::span<std::byte> bytes);

// Takes the records one after the other. Through a pipe events come as records, too, and are learnt here.
class RecordSwapper {
 public:
  RecordSwapper() = default;  // of a pipe
  explicit RecordSwapper(EventTable events) : events_(std::move(events)) {}
  // `rest` begins with a record: turns it around and says how long it is with what belongs to it; 0 where no record is.
  usize swap_next(std::span<std::byte> rest);
  // The same with a copy of one, which may turn out to be none: nothing is learnt.
  void swap_copy(std::span<std::byte> record) const;
  const EventTable& events();

 private:
  void swap_body(u32 type, u16 misc, std::span<std::byte> body) const;
  void swap_sample(std::span<std::byte> body) const;
  void swap_kernel_record(u32 type, u16 misc, std::span<std::byte> body) const;
  void swap_trailer(std::span<std::byte> trailer, u64 sample_type) const;
  const EventAttributes* attributes_of(std::span<std::byte> body, usize id_word) const;
  void learn_event(Bytes body);

  EventTable events_;
  std::vector<Event> learnt_;
  bool is_complete_ = true;  // all that was learnt is in the table
};

}  // namespace wperf::perf_data
