// SPDX-License-Identifier: BSD-3-Clause
// One record of the data section as it lies in the file, and the statistics of a pass through the section.
#pragma once
#include <array>
#include <cstring>
#include <optional>
#include <utility>
#include <vector>

#include "formats/perf_data/format.h"

namespace wperf::perf_data {

struct Record {
  u32 type = 0;  // a RecordType, if known
  u16 misc = 0;
  u64 file_offset = 0;  // offset of its header
  Bytes body;           // the bytes after the header
  Bytes payload;        // the bytes after the record that belong to it: the data of auxtrace and header_tracing_data

  RecordType kind() const { return static_cast<RecordType>(type); }
};

enum class StopReason : u8 {
  record_too_small,  // smaller than its own header, so the beginning of the next one is unknown
  record_cut,        // the section ends inside of it
  payload_cut,       // the section ends inside of the data after it; it was handed out with the existing bytes
};

struct Stop {
  StopReason reason = StopReason::record_cut;
  u64 file_offset = 0;
  u32 type = 0;
  u64 bytes = 0;  // from there to the end
};

// Statistics of a pass over the records. Everything that was skipped is counted here.
struct ReadStatistics {
  u64 records = 0;
  std::array<u64, kRecordTypes> by_type{};
  std::array<u64, kRecordTypes> damaged{};   // including records with contradicting lengths; not handed out
  u64 of_unknown_event = 0;                  // samples whose event the file does not describe; not handed out
  std::vector<std::pair<u32, u64>> unknown;  // unknown types, with how often they came
  u64 of_further_unknown = 0;                // the number of further ones, if there are more than kMostUnknown types
  u64 gaps = 0, gap_bytes = 0;               // damaged places that were skipped, and the bytes that were not read there
  std::optional<Stop> stop;                  // why the rest of the section was not read
  static constexpr usize kMostUnknown = 64;

  u64 of(RecordType type) const { return by_type[static_cast<u32>(type)]; }
  u64 all_damaged() const;
  // Damaged places, including an unreadable end, and their bytes.
  u64 damaged_places() const { return gaps + (stop.has_value() ? 1 : 0); }
  u64 damaged_bytes() const { return gap_bytes + (stop.has_value() ? stop->bytes : 0); }
  u64 compressed() const { return of(RecordType::compressed) + of(RecordType::compressed2); }  // not read yet
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

// Fills in the record at `at`, and the place of the next one. If it does not fit, returns why.
std::optional<StopReason> record_at(Bytes data, u64 at, Record& record, u64& end);

inline constexpr u64 kRecordHeader = 8;
inline constexpr u64 kRecordStep = 8;  // records are multiples of it, except for packed ones

// Checks only the header, which is a word of type, misc and size: a known type and a possible size for `left` bytes.
// Runs for each record of a file.
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

// Data packed by `perf record -z` may have any length, so that the records after them may begin anywhere.
inline bool is_packed(RecordType kind) {
  return kind == RecordType::compressed || kind == RecordType::compressed2;
}
enum class RecordPlaces : u8 { by_words, anywhere };
// Long records are checked as a whole, because a large wrong size hides many records. They are rare without copies of
// stacks.
inline constexpr u64 kLongRecord = 1024;  // bytes after the header

class EventTable;

// Walks the records one by one. Ends at the end of the section or at damage that it cannot get past, see
// ReadStatistics::stop.
class RecordStream {
 public:
  // `data` is a part of the file that begins at `file_offset`.
  RecordStream(Bytes data, u64 file_offset) : data_(data), file_offset_(file_offset) {}
  // Gets past damage: continues where the next records of these events begin.
  RecordStream(Bytes data, u64 file_offset, const EventTable& events, RecordPlaces places)
      : data_(data), file_offset_(file_offset), events_(&events), places_(places) {}
  bool next(Record& record) { return next_plain(record) || next_other(record); }
  ReadStatistics& statistics() { return statistics_; }

 private:
  // Nearly all records are like this: from the kernel, short, and followed by a plausible record. Returns false if this
  // one is not.
  bool next_plain(Record& record) {
    u64 header = 0;  // type, misc, size
    if (data_.size() - at_ < sizeof header) return false;
    std::memcpy(&header, data_.data() + at_, sizeof header);
    __builtin_prefetch(data_.data() + at_ + kAhead);  // a walk that looks only at headers waits for memory
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
  bool pass_damage(const Record* record, u64& end);  // null if none fits

  static constexpr usize kAhead = 1024;

  Bytes data_;
  u64 file_offset_;
  const EventTable* events_ = nullptr;  // null: damage ends the walk
  RecordPlaces places_ = RecordPlaces::by_words;
  u64 at_ = 0;
  u64 trusted_ = 0;  // all records before here were checked already
  ReadStatistics statistics_;
};

}  // namespace wperf::perf_data
