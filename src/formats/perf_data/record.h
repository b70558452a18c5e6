// SPDX-License-Identifier: BSD-3-Clause
// A record of the data section as it is in the file, and statistics of a pass through the section.
#pragma once
#include <array>
#include <cstring>
#include <optional>
#include <utility>
#include <vector>

#include "formats/perf_data/format.h"

namespace wperf::perf_data {

struct Record {
  u32 type = 0;  // a RecordType if it is known
  u16 misc = 0;
  u64 file_offset = 0;  // position of its header
  Bytes body;           // the bytes after the header
  Bytes payload;        // data after the record that belongs to it: for auxtrace and header_tracing_data

  RecordType kind() const { return static_cast<RecordType>(type); }
};

enum class StopReason : u8 {
  record_too_small,  // smaller than a header, so the position of the next record is unknown
  record_cut,        // the section ends inside the record
  payload_cut,       // the section ends inside the data after the record; the visitor got the existing bytes
};

struct Stop {
  StopReason reason = StopReason::record_cut;
  u64 file_offset = 0;
  u32 type = 0;
  u64 bytes = 0;  // number of bytes up to the end
};

// Statistics of a pass over the records. Everything that was skipped is counted here.
struct ReadStatistics {
  u64 records = 0;
  std::array<u64, kRecordTypes> by_type{};
  std::array<u64, kRecordTypes> damaged{};   // including records with contradicting lengths; the visitor did not get
                                             // them
  u64 of_unknown_event = 0;                  // samples whose event is not in the file; the visitor did not get them
  std::vector<std::pair<u32, u64>> unknown;  // unknown types and how often each occurred
  u64 of_further_unknown = 0;                // records of further unknown types, if there are more than kMostUnknown
                                             // types
  u64 gaps = 0, gap_bytes = 0;               // skipped damaged places, and the number of bytes in them
  std::optional<Stop> stop;                  // why reading stopped early; nullopt if the whole section was read
  static constexpr usize kMostUnknown = 64;

  u64 of(RecordType type) const { return by_type[static_cast<u32>(type)]; }
  u64 all_damaged() const;
  // The number of damaged places and their bytes, including an unreadable end.
  u64 damaged_places() const { return gaps + (stop.has_value() ? 1 : 0); }
  u64 damaged_bytes() const { return gap_bytes + (stop.has_value() ? stop->bytes : 0); }
  // Compressed records, which are not unpacked yet.
  u64 compressed() const { return of(RecordType::compressed) + of(RecordType::compressed2); }
  void count(u32 type) {
    ++records;
    if (type < kRecordTypes && type != 0) {
      ++by_type[type];
    } else {
      count_unknown(type);
    }
  }
  void count_damaged(u32 type) {
    if (type < kRecordTypes) ++damaged[type];
  }

 private:
  void count_unknown(u32 type);
};

// Reads the record at `at` and the position of the next one. Returns the reason if it does not fit.
std::optional<StopReason> record_at(Bytes data, u64 at, Record& record, u64& end);

inline constexpr u64 kRecordHeader = 8;
inline constexpr u64 kRecordStep = 8;  // sizes of records are multiples of this, except sizes of packed records

// Checks only the header, a word with type, misc and size: is the type known, and is the size possible if `left` bytes
// are left? Called for each record of a file.
inline bool may_be_header(u64 header, u64 left) {
  const u32 type = static_cast<u32>(header);
  const u64 size = header >> 48;
  if (size < sizeof header || size > left) return false;
  if (type - 1 < kKernelTypes) return size % kRecordStep == 0;
  return type - kFirstUserType < kRecordTypes - kFirstUserType;
}

inline bool looks_like_record(Bytes data, u64 at) {
  u64 header = 0;
  if (data.size() - at < sizeof header) return false;
  std::memcpy(&header, data.data() + at, sizeof header);
  return may_be_header(header, data.size() - at);
}

// Data packed by `perf record -z` may have any length, so the next record may begin at any byte.
inline bool is_packed(RecordType kind) {
  return kind == RecordType::compressed || kind == RecordType::compressed2;
}
enum class RecordPlaces : u8 { by_words, anywhere };
// Long records are checked completely, because a wrong large size would hide many records. They are rare without stack
// copies.
inline constexpr u64 kLongRecord = 1024;  // bytes after the header

class EventTable;

// Reads the records one by one, up to the end of the section or up to damage that it cannot skip; see
// ReadStatistics::stop.
class RecordStream {
 public:
  // `data` is a part of the file that begins at `file_offset`.
  RecordStream(Bytes data, u64 file_offset) : data_(data), file_offset_(file_offset) {}
  // This stream skips damage: it continues at the next records that fit these events.
  RecordStream(Bytes data, u64 file_offset, const EventTable& events, RecordPlaces places)
      : data_(data), file_offset_(file_offset), events_(&events), places_(places) {}
  bool next(Record& record) { return next_plain(record) || next_other(record); }
  ReadStatistics& statistics() { return statistics_; }

 private:
  // Fast path for nearly all records: from the kernel, short, and followed by a plausible record. Returns false for any
  // other record.
  bool next_plain(Record& record) {
    u64 header = 0;  // type, misc, size
    if (data_.size() - at_ < sizeof header) return false;
    std::memcpy(&header, data_.data() + at_, sizeof header);
    __builtin_prefetch(data_.data() + at_ + kAhead);  // a pass that looks only at headers is limited by memory latency
    const u32 type = static_cast<u32>(header);
    const u64 size = header >> 48;
    if (type - 1 >= kKernelTypes || size - kRecordHeader > kLongRecord || size >= data_.size() - at_) return false;
    if (events_ != nullptr && !looks_like_record(data_, at_ + size)) return false;
    record.type = type;
    record.misc = static_cast<u16>(header >> 32);
    record.file_offset = file_offset_ + at_;
    record.body = data_.subspan(static_cast<usize>(at_ + kRecordHeader), static_cast<usize>(size - kRecordHeader));
    record.payload = {};
    at_ += size;
    statistics_.count(type);
    return true;
  }
  bool next_other(Record& record);
  static bool is_long_and_unsound(const Record& record, const EventTable& events);
  bool is_in_doubt(const Record& record, u64 end) const;
  bool pass_damage(const Record* record, u64& end);  // `record` is null if no record fits

  static constexpr usize kAhead = 1024;

  Bytes data_;
  u64 file_offset_;
  const EventTable* events_ = nullptr;  // null: the stream ends at the first damage
  RecordPlaces places_ = RecordPlaces::by_words;
  u64 at_ = 0;
  u64 trusted_ = 0;  // all records before this position were checked already
  ReadStatistics statistics_;
};

}  // namespace wperf::perf_data
