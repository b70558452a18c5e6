// SPDX-License-Identifier: BSD-3-Clause
#include "formats/perf_data/record_search.h"

#include "formats/perf_data/visit.h"

namespace wperf::perf_data {
namespace {

constexpr u32 kEnough = 3;               // number of consecutive valid records
constexpr u32 kMostUnknown = 256;        // number of consecutive records of unknown type that are accepted as real
constexpr u32 kLeastNonsense = 1 << 16;  // a limit above all types that the kernel or perf will ever have
constexpr u64 kDay = 86'400'000'000'000;

// Checks whether a decoded record is consistent.
struct RecordCheck {
  const EventTable& events;
  bool is_given = false;
  bool is_of_file = true;
  u64 time = 0;  // 0: the record has no time

  template <class Kind>
  void operator()(const Kind& one, const Record& record) {
    is_given = true;
    if constexpr (std::is_same_v<Kind, Sample>) {
      time = one.time;
      const Event& event = events.all()[one.event == kNoEvent ? 0 : one.event];
      const bool has_id = event.attributes.has(kSampleId | kSampleIdentifier) && !event.ids.empty();
      if (has_id && events.index_of(one.id) == kNoEvent) is_of_file = false;
      Sample again;
      usize unread = 0;
      if (!read_sample(record.body, event.attributes, again, &unread) || unread >= kRecordStep) is_of_file = false;
    } else if constexpr (std::is_base_of_v<KernelRecord, Kind>) {
      time = one.identity.time;
      // Records that perf made itself have the id zero.
      if (one.identity.id != 0 && events.index_of(one.identity.id) == kNoEvent) is_of_file = false;
    }
  }
};

bool has_known_type(const Record& record) {
  return !record_name(record.type).empty();
}

bool is_sound(const Record& record, const EventTable& events, u64& time) {
  const bool is_kernels = record.type < kFirstUserType;
  if (is_kernels && events.all().empty())
    return record.body.size() % kRecordStep == 0;  // without events their layout
                                                   // is unknown
  RecordCheck witness{.events = events};
  ReadStatistics statistics;
  Sample sample;
  visit_record(record, events, witness, statistics, sample);
  time = witness.time;
  return witness.is_given && witness.is_of_file;
}

bool are_near(u64 a, u64 b) {
  return a == 0 || b == 0 || (a < b ? b - a : a - b) < kDay;
}

}  // namespace

bool is_sound(const Record& record, const EventTable& events) {
  u64 time = 0;
  return is_sound(record, events, time);
}

bool ValidRun::add(const Record& record) {
  if (!has_known_type(record)) {
    ++unknown_ones_;
    const bool may_come = record.type != 0 && record.type < kLeastNonsense;
    return unknown_ == UnknownTypes::pass && may_come && record.body.size() % kRecordStep == 0;
  }
  u64 time = 0;
  if (!is_sound(record, events_, time) || !are_near(time_, time)) return false;
  if (time_ == 0) time_ = time;
  ++sound_;
  return true;
}

bool ValidRun::is_enough() const {
  return sound_ == kEnough || unknown_ones_ == kMostUnknown;
}

u64 end_of_run(Bytes data, u64 at, const EventTable& events, UnknownTypes unknown) {
  ValidRun run(events, unknown);
  while (at < data.size() && !run.is_enough()) {
    Record record;
    u64 end = at;
    if (record_at(data, at, record, end).has_value() || !run.add(record)) return kNoRun;
    at = end;
  }
  return at;
}

u64 find_record(Bytes data, u64 at, const EventTable& events, RecordPlaces places) {
  const u64 step = places == RecordPlaces::anywhere ? 1 : kRecordStep;
  for (; at < data.size() && data.size() - at >= kRecordHeader; at += step) {
    if (looks_like_record(data, at) && end_of_run(data, at, events, UnknownTypes::refuse) != kNoRun) return at;
  }
  return data.size();
}

}  // namespace wperf::perf_data
