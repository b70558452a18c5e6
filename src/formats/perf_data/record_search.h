// SPDX-License-Identifier: BSD-3-Clause
// Finds the beginnings of records in damaged bytes. A plausible header proves little. A record is trusted if its fields
// match its size and the events of the file, and if more such records follow it. RecordStream uses this only when it is
// in doubt.
#pragma once
#include "formats/perf_data/event_table.h"
#include "formats/perf_data/record.h"

namespace wperf::perf_data {

// Do its fields fill the record exactly, and is its event in the file?
bool is_sound(const Record& record, const EventTable& events);

inline constexpr u64 kNoRun = 0;
enum class UnknownTypes : u8 { refuse, pass };
// A run of valid records, long enough not to be chance.
class ValidRun {
 public:
  ValidRun(const EventTable& events, UnknownTypes unknown) : events_(events), unknown_(unknown) {}
  bool add(const Record& record);  // returns false if the record is not valid
  bool is_enough() const;

 private:
  const EventTable& events_;
  UnknownTypes unknown_;
  u64 time_ = 0;
  u32 sound_ = 0, unknown_ones_ = 0;
};

// Follows valid records from `at` on until there are enough of them or the bytes end. Returns the end of the last one,
// or kNoRun if these are not records.
u64 end_of_run(Bytes data, u64 at, const EventTable& events, UnknownTypes unknown);

// Searches from `at` on for the first run of valid records, and returns its position. Returns the end of the bytes if
// no run was found. `places`: whether a run may begin at any byte or only at words.
u64 find_record(Bytes data, u64 at, const EventTable& events, RecordPlaces places);

}  // namespace wperf::perf_data
