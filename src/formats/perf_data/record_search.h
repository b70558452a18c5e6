// SPDX-License-Identifier: BSD-3-Clause
// Finds where records begin in bytes that are damaged. A header proves little. But it is trustworthy if its fields fit
// its size and the events of the file, and if more such records follow. RecordStream asks only when it is in doubt.
#pragma once
#include "formats/perf_data/event_table.h"
#include "formats/perf_data/record.h"

namespace wperf::perf_data {

// Returns true if its fields fill it exactly and its event is one of the file's.
bool is_sound(const Record& record, const EventTable& events);

inline constexpr u64 kNoRun = 0;
enum class UnknownTypes : u8 { refuse, pass };
// Records that follow each other, enough of them to exclude chance.
class SoundRun {
 public:
  SoundRun(const EventTable& events, UnknownTypes unknown) : events_(events), unknown_(unknown) {}
  bool add(const Record& record);  // false if it is not valid
  bool is_enough() const;

 private:
  const EventTable& events_;
  UnknownTypes unknown_;
  u64 time_ = 0;
  u32 sound_ = 0, unknown_ones_ = 0;
};

// Follows valid records from `at` on, until there are enough of them or the bytes end. Returns where the last one ends,
// or kNoRun if they are not records.
u64 end_of_run(Bytes data, u64 at, const EventTable& events, UnknownTypes unknown);

// The first place from `at` on where such a run begins, searched by words or by bytes; the end if there is none.
u64 find_record(Bytes data, u64 at, const EventTable& events, RecordPlaces places);

}  // namespace wperf::perf_data
