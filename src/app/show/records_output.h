// SPDX-License-Identifier: BSD-3-Clause
// Formats samples as lines in batches on two threads and writes them in order: one thread reads the recording, the
// other formats samples. The reading thread also formats if formatting takes longer.
#pragma once
#include <array>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <optional>
#include <string_view>
#include <thread>
#include <vector>

#include "app/show/report_options.h"
#include "ground/diag/console.h"
#include "ground/diag/result.h"
#include "ground/os/output_file.h"
#include "views/report/sample_lines.h"

namespace wperf::show {

class LineBatches {
 public:
  using Write = std::function<void(std::string_view part)>;

  // The arguments must outlive this object. `write` is called by the calling thread.
  LineBatches(const report::SampleLines& lines, Write write) : lines_(lines), write_(std::move(write)) {}
  ~LineBatches();
  LineBatches(const LineBatches&) = delete;
  LineBatches& operator=(const LineBatches&) = delete;

  void add(u32 row, const report::SampleMoment& moment) {
    Batch& batch = batches_[filled_ % kBatches];
    batch.samples.push_back({row, moment});
    if (batch.samples.size() == kBatchSize) end_batch();
  }
  void finish();

 private:
  // A batch becomes some hundred kilobytes of text, which fits into the caches.
  static constexpr usize kBatchSize = 128, kBatches = 8;
  struct Sample {
    u32 row = 0;
    report::SampleMoment moment;
  };
  struct Batch {
    std::vector<Sample> samples;
    report::LineText text;
    bool is_spelled = false;
  };

  void end_batch();
  void spell(Batch& batch);
  bool spell_next(std::unique_lock<std::mutex>& lock);
  void write_oldest();
  void help();

  const report::SampleLines& lines_;
  const Write write_;
  std::array<Batch, kBatches> batches_;  // indexed by number modulo kBatches
  std::mutex mutex_;                     // protects the members below, and is_spelled
  std::condition_variable changed_;
  usize filled_ = 0, taken_ = 0, written_ = 0;  // counts of batches; taken: by a thread that formats them
  bool is_over_ = false;
  std::thread helper_;     // started when there is more than one batch
  bool is_alone_ = false;  // the system could not start a thread
};

// The destination of `report --records`, which writes its list piece by piece: the named file, or for "-" the console.
class RecordsOutput {
 public:
  static diag::Result<RecordsOutput> open(const ReportOptions& options, diag::Console& console);

  bool json() const { return json_; }  // otherwise text
  void write(std::string_view part) {
    if (file_.has_value()) return file_->write(part);
    json_ ? console_->json(part) : console_->document(part);
  }
  diag::Result<void> close() { return file_.has_value() ? file_->close() : diag::Result<void>(); }

 private:
  RecordsOutput(diag::Console& console, bool json) : console_(&console), json_(json) {}

  diag::Console* console_;
  bool json_;
  std::optional<os::OutputFile> file_;
};

}  // namespace wperf::show
