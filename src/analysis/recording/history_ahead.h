// SPDX-License-Identifier: BSD-3-Clause
// The history of a recording's processes, collected on another thread while samples are read. It stays a few rounds of
// records ahead of the samples, so it knows the names and mappings at the time of each sample. When the history is
// complete, all earlier answers are checked. If the order of the file was not as expected, the samples are read again
// with the complete history.
#pragma once
#include <atomic>
#include <condition_variable>
#include <future>
#include <mutex>
#include <optional>
#include <vector>

#include "formats/perf_data/history_collector.h"

namespace wperf::recording {

class HistoryAhead {
 public:
  using ProcessHistory = perf_data::ProcessHistory;

  // Returns false for a small recording, because its history takes no time, and for a file without times, because
  // samples wait until the history has reached their time.
  static bool is_of_use(const perf_data::PerfFile& file);

  explicit HistoryAhead(const perf_data::PerfFile& file);
  HistoryAhead(const HistoryAhead&) = delete;
  HistoryAhead& operator=(const HistoryAhead&) = delete;
  ~HistoryAhead();

  // Waits until the history has reached that time.
  ProcessHistory::Task task_at(u32 pid, u32 tid, u64 when);
  // Reports how far the samples were read. The history does not go far ahead, so that both threads read the same part
  // of the file while it is in memory.
  void follow(u64 offset) {
    read_.store(offset, std::memory_order_relaxed);
    const u64 waiting = waiting_.load(std::memory_order_relaxed);
    if (waiting != 0 && offset + kNear >= waiting) wake();
  }
  // True if earlier answers may be wrong.
  bool gave_up() const { return gave_up_.load(std::memory_order_relaxed); }
  // The complete history; nullopt if it gave up.
  std::optional<ProcessHistory> finish();

 private:
  static constexpr u64 kFarthest = 2 << 20, kNear = kFarthest / 2;  // maximum distance between history and samples, in
                                                                    // bytes of records

  struct Answer {
    u32 pid, tid;
    u64 when;
    ProcessHistory::Task task;
  };
  void collect(const perf_data::PerfFile& file);
  void end_round(u64 offset);
  void stay_near(u64 offset);
  void wake();
  void let_go();
  bool holds(const Answer& given) const;
  void give_up() { gave_up_.store(true, std::memory_order_relaxed); }

  perf_data::ProcessHistory::Collector collector_;  // its changes are applied under the mutex
  u64 end_of_round_ = 0;                            // the latest sample before the current round
  u64 published_ = 0;                               // the offset at the last notification
  u64 near_until_ = 0;                              // offset
  std::atomic<bool> gave_up_ = false;
  std::atomic<u64> read_ = 0;
  std::atomic<u64> waiting_ = 0;  // offset at which the history waits for the samples; 0 if it does not wait

  std::mutex mutex_;
  std::condition_variable changed_;
  u64 known_until_ = 0;
  bool is_over_ = false;
  std::optional<u64> awaited_;   // the time that samples wait for
  std::vector<Answer> answers_;  // answers given before the whole file was read
  std::optional<ProcessHistory> history_;
  std::future<void> collecting_;
};

}  // namespace wperf::recording
