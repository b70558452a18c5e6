// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/recording/history_ahead.h"

#include <thread>
#include <utility>

#include "analysis/recording/recorded_jit.h"

namespace wperf::recording {
namespace {

using perf_data::PerfFile;
using perf_data::ProcessHistory;
using perf_data::Record;

constexpr usize kWorthAThread = 4 << 20;     // in bytes of records
constexpr u64 kPublishedAtOnce = 256 << 10;  // in bytes of records
constexpr u64 kAllRead = u64{1} << 63;       // larger than any offset

}  // namespace

bool HistoryAhead::is_of_use(const PerfFile& file) {
  return file.record_bytes().size() >= kWorthAThread && std::thread::hardware_concurrency() > 1 &&
         ProcessHistory::Collector::has_times(file);
}

HistoryAhead::HistoryAhead(const PerfFile& file) : collector_(file) {
  collecting_ = std::async(std::launch::async, [this, &file] { collect(file); });
}

HistoryAhead::~HistoryAhead() {
  let_go();
  if (collecting_.valid()) collecting_.wait();
}

// Called when the reader of samples has stopped.
void HistoryAhead::let_go() {
  {
    const std::scoped_lock lock(mutex_);
    read_.store(kAllRead, std::memory_order_relaxed);
  }
  changed_.notify_all();
}

void HistoryAhead::collect(const PerfFile& file) {
  struct FinishedOnExit {  // sets the state even if memory ran out, so that the other thread does not wait forever
    HistoryAhead& ahead;
    ~FinishedOnExit() {
      {
        const std::scoped_lock lock(ahead.mutex_);
        ahead.is_over_ = true;
      }
      ahead.changed_.notify_all();
    }
  } over{*this};
  perf_data::ReadStatistics statistics = file.for_each_record(
      perf_data::Visitors{
          [&](const perf_data::TimeOfSample& time, const Record& record) {
            if (record.file_offset > near_until_) stay_near(record.file_offset);
            collector_(time, record);
          },
          [&](const perf_data::Mmap& mapping, const Record& record) {
            // To read samples in such code, the time at which the code was created must be known.
            if (RecordedJit::is_dump(mapping.file)) give_up();
            collector_(mapping, record);
          },
          [&](const perf_data::Comm& comm, const Record& record) { collector_(comm, record); },
          [&](const perf_data::Task& task, const Record& record) { collector_(task, record); },
          [&](const perf_data::KernelSymbol& symbol, const Record& record) { collector_(symbol, record); },
          [&](const perf_data::FinishedRound&, const Record& record) { end_round(record.file_offset); },
      },
      PerfFile::Pass::ahead_of_another);
  const std::scoped_lock lock(mutex_);
  if (collector_.is_out_of_order()) give_up();
  history_ = collector_.finish(std::move(statistics));
  for (const Answer& given : answers_) {
    if (!holds(given)) give_up();
  }
}

// Later records are never older than the newest record of the round before last.
void HistoryAhead::end_round(u64 offset) {
  const u64 until = std::exchange(end_of_round_, collector_.samples().end);
  if (offset - published_ < kPublishedAtOnce) return;
  published_ = offset;
  {
    const std::scoped_lock lock(mutex_);
    collector_.apply_until(until);
    known_until_ = until;
    if (awaited_.has_value() && *awaited_ < until) awaited_.reset();
    if (collector_.is_out_of_order()) give_up();
  }
  changed_.notify_all();
}

// Waits for the reader of samples, unless it waits for the history.
void HistoryAhead::stay_near(u64 offset) {
  near_until_ = offset + kPublishedAtOnce;
  if (offset <= read_.load(std::memory_order_relaxed) + kFarthest) return;
  std::unique_lock lock(mutex_);
  waiting_.store(offset, std::memory_order_relaxed);
  changed_.wait(lock, [&] { return awaited_.has_value() || offset <= read_.load(std::memory_order_relaxed) + kNear; });
  waiting_.store(0, std::memory_order_relaxed);
}

// Called for each sample until the history continues, so that no wake-up can be missed.
void HistoryAhead::wake() {
  {
    const std::scoped_lock lock(mutex_);
  }
  changed_.notify_all();
}

ProcessHistory::Task HistoryAhead::task_at(u32 pid, u32 tid, u64 when) {
  std::unique_lock lock(mutex_);
  if (when >= known_until_ && !is_over_) {
    awaited_ = when;
    changed_.notify_all();
    changed_.wait(lock, [&] { return when < known_until_ || is_over_; });
    awaited_.reset();
  }
  if (history_.has_value()) return history_->task_at(pid, tid, when);
  const ProcessHistory::Task task = collector_.task_so_far(pid, tid, when);
  answers_.push_back({pid, tid, when, task});
  return task;
}

bool HistoryAhead::holds(const Answer& given) const {
  const ProcessHistory::Task task = history_->task_at(given.pid, given.tid, given.when);
  return task.name == given.task.name && task.space == given.task.space && task.begin <= given.task.begin &&
         task.end >= given.task.end;
}

std::optional<ProcessHistory> HistoryAhead::finish() {
  let_go();
  collecting_.get();
  if (gave_up()) return std::nullopt;
  return std::move(history_);
}

}  // namespace wperf::recording
