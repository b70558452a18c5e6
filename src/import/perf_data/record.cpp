// SPDX-License-Identifier: BSD-3-Clause
#include "import/perf_data/record.h"

#include <numeric>

namespace wperf::perf_data {
namespace {

constexpr usize kHeaderSize = 8;

// How many bytes behind the record are its data; none for all but two types.
u64 payload_size(const Record& record) {
  if (record.kind() == RecordType::auxtrace) return Reader(record.body).word();
  if (record.kind() == RecordType::header_tracing_data) return Reader(record.body).take<u32>();
  return 0;
}

}  // namespace

u64 Tally::all_damaged() const {
  return std::accumulate(damaged.begin(), damaged.end(), of_unknown_event);
}

void Tally::count_unknown(u32 type) {
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

bool RecordStream::stop(StopReason reason, u32 type) {
  tally_.stop = {reason, file_offset_ + at_, type};
  at_ = data_.size();
  return false;
}

bool RecordStream::next(Record& record) {
  if (at_ >= data_.size()) return false;
  const Bytes rest = data_.subspan(static_cast<usize>(at_));
  Reader reader(slice(rest, 0, kHeaderSize));
  const u32 type = reader.take<u32>();
  const u16 misc = reader.take<u16>();
  const u16 size = reader.take<u16>();
  if (!reader.sound()) return stop(StopReason::record_cut, type);
  if (size < kHeaderSize) return stop(StopReason::record_too_small, type);
  if (size > rest.size()) return stop(StopReason::record_cut, type);
  record.type = type;
  record.misc = misc;
  record.file_offset = file_offset_ + at_;
  record.body = rest.subspan(kHeaderSize, size - kHeaderSize);
  const u64 payload = payload_size(record);
  record.payload = slice(rest, size, payload);
  tally_.count(type);
  if (payload > record.payload.size()) {
    stop(StopReason::payload_cut, type);  // what is there of it is worth having
  } else {
    at_ += size + payload;
  }
  return true;
}

}  // namespace wperf::perf_data
