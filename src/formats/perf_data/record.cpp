// SPDX-License-Identifier: BSD-3-Clause
#include "formats/perf_data/record.h"

#include <cstring>
#include <numeric>

#include "formats/perf_data/record_search.h"

namespace wperf::perf_data {
namespace {

// The number of data bytes that follow the record; 0 for all but two types.
u64 payload_size(const Record& record) {
  if (record.kind() == RecordType::auxtrace) return Reader(record.body).word();
  if (record.kind() == RecordType::header_tracing_data) return Reader(record.body).take<u32>();
  return 0;
}

}  // namespace

u64 ReadStatistics::all_damaged() const {
  return std::accumulate(damaged.begin(), damaged.end(), of_unknown_event);
}

void ReadStatistics::count_unknown(u32 type) {
  for (auto& [known, count] : unknown) {
    if (known == type) {
      ++count;
      return;
    }
  }
  if (unknown.size() < kMostUnknown) {
    unknown.emplace_back(type, 1);
  } else {
    ++of_further_unknown;
  }
}

std::optional<StopReason> record_at(Bytes data, u64 at, Record& record, u64& end) {
  const u64 left = data.size() - at;
  u64 header = 0;  // type, misc, size
  static_assert(sizeof header == kRecordHeader);
  std::memcpy(&header, data.data() + at, static_cast<usize>(std::min<u64>(left, kRecordHeader)));
  record.type = static_cast<u32>(header);
  record.misc = static_cast<u16>(header >> 32);
  const u64 size = header >> 48;
  if (left < kRecordHeader) return StopReason::record_cut;
  if (size < kRecordHeader) return StopReason::record_too_small;
  if (size > left) return StopReason::record_cut;
  record.body = data.subspan(static_cast<usize>(at + kRecordHeader), static_cast<usize>(size - kRecordHeader));
  record.payload = {};
  end = at + size;
  const u64 payload = payload_size(record);
  if (payload == 0) return {};
  record.payload = slice(data, end, payload);
  end += record.payload.size();
  if (payload > record.payload.size()) return StopReason::payload_cut;
  return {};
}

bool RecordStream::is_long_and_unsound(const Record& record, const EventTable& events) {
  return record.body.size() > kLongRecord && !is_sound(record, events);
}

bool RecordStream::is_in_doubt(const Record& record, u64 end) const {
  if (events_ == nullptr || end < trusted_) return false;
  if (end != data_.size() && !looks_like_record(data_, end)) return true;
  return is_long_and_unsound(record, *events_);
}

// Called if the current record does not fit, or if the bytes after it do not look like a record, so one of the two is
// damaged. Returns true if the current record can be used; then the next one begins at `end`.
bool RecordStream::pass_damage(const Record* record, u64& end) {
  const bool is_whole = record != nullptr;
  if (is_whole && !is_long_and_unsound(*record, *events_)) {
    trusted_ = end_of_run(data_, end, *events_, UnknownTypes::pass);
    if (trusted_ != kNoRun) return true;  // a run of unknown types
    trusted_ = 0;
  }
  if (statistics_.compressed() != 0) places_ = RecordPlaces::anywhere;
  // Packed data may also look like records.
  const bool holds_packed = is_whole && is_packed(record->kind());
  const u64 next = find_record(data_, holds_packed ? end : at_ + kRecordHeader, *events_, places_);
  if (next == data_.size()) {
    events_ = nullptr;
    return is_whole;
  }
  trusted_ = end_of_run(data_, next, *events_, UnknownTypes::refuse);
  // Damage usually affects whole blocks. If a record reaches into a damaged block, its contents cannot be trusted. For
  // packed records, unpacking reports the damage.
  constexpr u64 kBlock = 4096;
  const bool reaches_in =
      next > end && !holds_packed && (file_offset_ + at_) / kBlock != (file_offset_ + end - 1) / kBlock;
  const bool is_sound = is_whole && next >= end && !reaches_in;
  const u64 begin = is_sound ? end : at_;
  if (next != begin) {
    ++statistics_.gaps;
    statistics_.gap_bytes += next - begin;
  }
  end = next;
  return is_sound;
}

bool RecordStream::next_other(Record& record) {
  while (at_ < data_.size()) {
    u64 end = at_;
    const std::optional<StopReason> misfit = record_at(data_, at_, record, end);
    record.file_offset = file_offset_ + at_;
    bool is_given = !misfit.has_value();
    if ((misfit.has_value() && events_ != nullptr) || (!misfit.has_value() && is_in_doubt(record, end))) {
      is_given = pass_damage(misfit.has_value() ? nullptr : &record, end);
      if (!is_given && events_ != nullptr) {
        at_ = end;
        continue;
      }
    }
    if (misfit.has_value()) {
      statistics_.stop = {*misfit, file_offset_ + at_, record.type, data_.size() - at_};
      end = data_.size();
      is_given = misfit == StopReason::payload_cut;  // the existing part of the data is still useful
    }
    at_ = end;
    if (!is_given) return false;
    statistics_.count(record.type);
    return true;
  }
  return false;
}

}  // namespace wperf::perf_data
