// SPDX-License-Identifier: BSD-3-Clause
// A perf.data file as bytes: its events, its features, and its records in order. Takes a view of the whole file, which
// the caller must keep mapped; opens no files itself. Reads files that `perf record -o` wrote, files from a pipe, and
// the complete part of unfinished files.
//
//     auto opened = PerfFile::open(bytes);
//     const ReadStatistics statistics = opened.value().for_each_record(Visitors{
//         [&](const Sample& sample, const Record&) { … },
//         [&](const Mmap& mapping, const Record&) { … },
//     });
//
// Only records of requested kinds are decoded. Nothing is allocated per record.
#pragma once
#include <functional>
#include <utility>

#include "formats/perf_data/features.h"
#include "formats/perf_data/kernel_records.h"
#include "formats/perf_data/visit.h"

namespace wperf::perf_data {

// Damage in the parts of the file that were replaced by unpacked records.
struct EarlierDamage {
  u64 places = 0, bytes = 0;
  u64 records_about = 0;
};

class PerfFile {
 public:
  static diag::Result<PerfFile> open(Bytes file);

  const std::vector<Event>& attrs() const { return events_.all(); }
  const EventTable& events() const { return events_; }
  const Features& features() const { return features_; }

  bool is_pipe_format() const { return is_pipe_format_; }
  // perf was killed before it wrote the end: there are no features, and the records go on to the end of the file.
  bool is_unfinished() const { return is_unfinished_; }
  // The file is shorter than its header says.
  bool is_cut() const { return is_cut_; }

  // During a pass over the records, `release` is called with the bytes that were passed, so that their memory may be
  // freed, and `progress` with the progress. A pass that runs ahead of another pass calls neither function.
  void on_passed(std::function<void(u64 begin, u64 end)> release, std::function<void(u64 end)> progress = {}) {
    when_passed_ = std::move(release);
    progress_ = std::move(progress);
  }

  // Replaces the bytes of the record section by unpacked ones, which the caller must keep alive. `damage`: damage found
  // while unpacking.
  void replace_records(Bytes data, const EarlierDamage& damage = {}) {
    data_ = data;
    data_offset_ = 0;
    earlier_ = damage;
  }
  const EarlierDamage& earlier_damage() const { return earlier_; }

  Bytes record_bytes() const { return data_; }
  RecordStream records() const {
    const bool is_packed = features_.has(Feature::compressed);
    return RecordStream(data_, data_offset_, events_, is_packed ? RecordPlaces::anywhere : RecordPlaces::by_words);
  }

  // Calls the visitor if it has an overload for this kind of record. A visitor with only `const Record&` gets all
  // records.
  enum class Pass : u8 { alone, ahead_of_another };
  template <class Visitor>
  ReadStatistics for_each_record(Visitor&& visitor, Pass pass = Pass::alone) const {
    RecordStream stream = records();
    Record record;
    Sample sample;
    const bool tells = when_passed_ && pass == Pass::alone;
    // The newest part is not released, because a visitor may still read the last records, which would load them again.
    u64 reported = data_offset_, passed = data_offset_;
    while (stream.next(record)) {
      visit_record(record, events_, visitor, stream.statistics(), sample);
      if (record.file_offset - passed < kPassedAtOnce || !tells) continue;
      if (reported != passed) when_passed_(reported, passed);
      if (progress_) progress_(passed);
      reported = passed;
      passed = record.file_offset;
    }
    if (tells) when_passed_(reported, data_offset_ + data_.size());
    stream.statistics().gaps += earlier_.places;
    stream.statistics().gap_bytes += earlier_.bytes;
    return std::move(stream.statistics());
  }

 private:
  struct Header;
  diag::Result<void> open_sections(Bytes file, const Header& header);
  diag::Result<void> open_events(Bytes file, const Header& header, std::vector<Event>& events) const;
  void open_features(Bytes file, const Header& header);
  void name_events(std::vector<Event>& events) const;
  diag::Result<void> open_pipe(Bytes file);

  static constexpr u64 kPassedAtOnce = 1 << 19;

  std::function<void(u64 begin, u64 end)> when_passed_;
  std::function<void(u64 end)> progress_;
  Bytes data_;
  u64 data_offset_ = 0;
  EventTable events_;
  Features features_;
  EarlierDamage earlier_;
  bool is_pipe_format_ = false, is_unfinished_ = false, is_cut_ = false;
};

}  // namespace wperf::perf_data
