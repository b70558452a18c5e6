// SPDX-License-Identifier: BSD-3-Clause
#include "formats/perf_data/swapped_walk.h"

#include <algorithm>
#include <bit>

#include "formats/perf_data/record_search.h"

namespace wperf::perf_data {
namespace {

struct Header {
  u32 type = 0;
  u16 misc = 0, size = 0;
};

// At the end of the bytes, gives a header that is too small.
Header header_at(Bytes data, u64 at) {
  if (at > data.size() || data.size() - at < kRecordHeader) return {};
  Reader reader(data.subspan(static_cast<usize>(at)));
  Header header;
  header.type = std::byteswap(reader.take<u32>());
  header.misc = std::byteswap(reader.take<u16>());
  header.size = std::byteswap(reader.take<u16>());
  return header;
}

bool may_be_record(Bytes data, u64 at) {
  const Header header = header_at(data, at);
  return may_be_header(u64{header.size} << 48 | header.type, data.size() - at);
}

// The end of the record including the data that belong to it; 0 if it does not fit.
u64 end_of_record(Bytes data, u64 at) {
  const Header header = header_at(data, at);
  if (header.size < kRecordHeader || header.size > data.size() - at) return 0;
  Reader body(data.subspan(static_cast<usize>(at + kRecordHeader), header.size - kRecordHeader));
  u64 payload = 0;
  if (header.type == static_cast<u32>(RecordType::auxtrace)) payload = std::byteswap(body.word());
  if (header.type == static_cast<u32>(RecordType::header_tracing_data)) payload = std::byteswap(body.take<u32>());
  const u64 end = at + header.size;
  return payload > data.size() - end ? 0 : end + payload;
}

class Walk {
 public:
  Walk(Bytes data, RecordSwapper& swapper, RecordPlaces places) : data_(data), swapper_(swapper), places_(places) {}

  u64 find(u64 at);  // as find_record
  // The end of the record at `at` (which is `at` if there is none), and the beginning of the next one.
  struct Step {
    u64 end = 0, next = 0;
  };
  Step step(u64 at);

 private:
  u64 end_of_run(u64 at, UnknownTypes unknown);
  Record turned(u64 at);  // lives until the next call

  Bytes data_;
  RecordSwapper& swapper_;
  RecordPlaces places_;
  u64 trusted_ = 0;  // before here, all records were looked at already
  std::vector<std::byte> copy_;
};

Record Walk::turned(u64 at) {
  const Header header = header_at(data_, at);
  const Bytes bytes = data_.subspan(static_cast<usize>(at), header.size);
  copy_.assign(bytes.begin(), bytes.end());
  swapper_.swap_copy(copy_);
  return {.type = header.type,
          .misc = header.misc,
          .file_offset = 0,
          .body = Bytes(copy_).subspan(kRecordHeader),
          .payload = {}};
}

u64 Walk::end_of_run(u64 at, UnknownTypes unknown) {
  SoundRun run(swapper_.events(), unknown);
  while (at < data_.size() && !run.is_enough()) {
    const u64 end = end_of_record(data_, at);
    if (end == 0 || !run.add(turned(at))) return kNoRun;
    at = end;
  }
  return at;
}

u64 Walk::find(u64 at) {
  const u64 step = places_ == RecordPlaces::anywhere ? 1 : kRecordStep;
  for (; at < data_.size() && data_.size() - at >= kRecordHeader; at += step) {
    if (may_be_record(data_, at) && end_of_run(at, UnknownTypes::refuse) != kNoRun) return at;
  }
  return data_.size();
}

Walk::Step Walk::step(u64 at) {
  const u64 end = end_of_record(data_, at);
  const bool is_whole = end != 0;
  const Header header = header_at(data_, at);
  const bool holds_packed = is_whole && is_packed(static_cast<RecordType>(header.type));
  if (holds_packed) places_ = RecordPlaces::anywhere;
  if (is_whole && end < trusted_) return {end, end};
  const bool is_sound_here =
      is_whole && (header.size - kRecordHeader <= kLongRecord || is_sound(turned(at), swapper_.events()));
  if (is_sound_here && (end == data_.size() || may_be_record(data_, end))) return {end, end};
  trusted_ = is_sound_here ? end_of_run(end, UnknownTypes::pass) : kNoRun;
  if (trusted_ != kNoRun) return {end, end};  // of unknown types
  const u64 next = find(holds_packed ? end : at + kRecordHeader);
  if (next == data_.size()) return {is_whole ? end : at, next};
  trusted_ = end_of_run(next, UnknownTypes::refuse);
  return {is_sound_here && next >= end ? end : at, next};
}

}  // namespace

void swap_records(std::span<std::byte> records, RecordSwapper& swapper, RecordPlaces places) {
  Walk walk(records, swapper, places);
  for (u64 at = 0; at < records.size();) {
    const auto [end, next] = walk.step(at);
    // A record cut by the end of a file is swapped as far as it goes.
    const bool is_cut = end == at && next == records.size();
    if (end != at || is_cut) swapper.swap_next(records.subspan(static_cast<usize>(at)));
    if (!is_cut)
      std::fill(records.begin() + static_cast<std::ptrdiff_t>(end), records.begin() + static_cast<std::ptrdiff_t>(next),
                std::byte{0});
    at = next;
  }
}

u64 find_swapped_record(Bytes data, u64 at, RecordSwapper& swapper, RecordPlaces places) {
  return Walk(data, swapper, places).find(at);
}

}  // namespace wperf::perf_data
