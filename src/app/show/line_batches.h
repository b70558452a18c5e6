// SPDX-License-Identifier: BSD-3-Clause
// Lines of samples, made batch by batch on two threads and written in their order: while one reads the recording, a
// second one formats samples, and the first helps if that is more work.
#pragma once
#include <array>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

#include "views/report/sample_lines.h"

namespace wperf::show {

class LineBatches {
 public:
  using Write = std::function<void(std::string_view part)>;

  // The arguments outlive it. The calling thread calls `write`.
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
  // Batches of some hundred kilobytes of text, which fit into the cores' caches.
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
  std::array<Batch, kBatches> batches_;  // by number, modulo
  std::mutex mutex_;                     // protects the fields below, and is_spelled
  std::condition_variable changed_;
  usize filled_ = 0, taken_ = 0, written_ = 0;  // batches; taken: by a formatting thread
  bool is_over_ = false;
  std::thread helper_;     // there once there is more than one batch
  bool is_alone_ = false;  // the system gives no thread
};

}  // namespace wperf::show
