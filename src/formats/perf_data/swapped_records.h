// SPDX-License-Identifier: BSD-3-Clause
// Records and event attributes of the other byte order, turned around in place.
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
  RecordSwapper() = default;  // for a pipe
  explicit RecordSwapper(EventTable events) : events_(std::move(events)) {}
  // `rest` begins with a record: swaps it and returns its length with the data that belong to it; 0 if there is no
  // record.
  usize swap_next(std::span<std::byte> rest);
  // The same for a copy of a record that may turn out not to be one: the events stay unchanged.
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
  bool is_complete_ = true;  // the table has everything that was learnt
};

}  // namespace wperf::perf_data
