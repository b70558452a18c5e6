// SPDX-License-Identifier: BSD-3-Clause
// One record of the data section as it lies in the file, and what was counted on the way through the section.
#pragma once
#include <array>
#include <optional>
#include <utility>
#include <vector>

#include "import/perf_data/bytes.h"
#include "import/perf_data/format.h"

namespace wperf::perf_data {

struct Record {
  u32 type = 0;  // a RecordType, where we know it
  u16 misc = 0;
  u64 file_offset = 0;  // of its header
  Bytes body;           // what follows the header
  Bytes payload;        // what follows the record and belongs to it: the data of auxtrace and header_tracing_data

  RecordType kind() const { return static_cast<RecordType>(type); }
};

enum class StopReason : u8 {
  record_too_small,  // smaller than its own header, so nobody knows where the next one begins
  record_cut,        // the section ends inside of it
  payload_cut,       // the section ends inside of the data behind it; it was handed out with what there is
};

struct Stop {
  StopReason reason = StopReason::record_cut;
  u64 file_offset = 0;
  u32 type = 0;
};

// What went through a pass over the records. Nothing that was skipped is missing here.
struct Tally {
  u64 records = 0;
  std::array<u64, kRecordTypes> by_type{};
  std::array<u64, kRecordTypes> damaged{};   // of those: lengths that contradict each other; not handed out
  u64 of_unknown_event = 0;                  // samples whose event the file does not describe; not handed out
  std::vector<std::pair<u32, u64>> unknown;  // types we do not know, with how often they came
  u64 of_further_unknown = 0;                // the same, when there are more than kMostUnknown types
  std::optional<Stop> stop;                  // why the rest of the section was not read
  static constexpr usize kMostUnknown = 64;

  u64 of(RecordType type) const { return by_type[static_cast<u32>(type)]; }
  u64 all_damaged() const;
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

// Walks the records one by one. Ends at the end of the section or at a place it cannot get past, see Tally::stop.
class RecordStream {
 public:
  // `data` is a part of the file that begins at `file_offset`.
  RecordStream(Bytes data, u64 file_offset) : data_(data), file_offset_(file_offset) {}
  bool next(Record& record);
  Tally& tally() { return tally_; }

 private:
  bool stop(StopReason reason, u32 type);

  Bytes data_;
  u64 file_offset_;
  u64 at_ = 0;
  Tally tally_;
};

}  // namespace wperf::perf_data
