// SPDX-License-Identifier: BSD-3-Clause
// A thread that shows the samples of one ring to a filter as soon as they are written. It runs on the ring's core with
// priority over other threads, so a sampled thread is stopped while the filter inspects it.
#pragma once
#include <atomic>

#include "formats/perf_data/perf_file_layout.h"
#include "machine/perf_events/bell_thread_linux.h"
#include "machine/perf_events/rings_linux.h"

namespace wperf::perf_events {

class RingWatcher {
 public:
  // `emptier`: the thread whose bell is rung if the ring should be emptied. The ring, the filter and that thread must
  // outlive this object.
  RingWatcher(const SampleRing& ring, perf_data::RecordFilter& filter, const BellThread& emptier, u64 (*now)())
      : ring_(ring), filter_(filter), emptier_(emptier), now_(now) {}
  RingWatcher(const RingWatcher&) = delete;
  RingWatcher& operator=(const RingWatcher&) = delete;

  diag::Result<void> start() {
    return thread_.start([this] { run(); });
  }
  // Shows the remaining samples, and ends the thread.
  void stop() { thread_.stop(); }
  // Makes the watcher skip records that are not samples; otherwise only samples wake it.
  void wake() const { thread_.ring(); }
  struct Seen {
    u64 until_ns = 0;  // when the watcher last read the ring
    u64 position = 0;  // all samples before this position have been shown, so these records may be taken
  };
  Seen seen() const {
    const u64 until_ns = looked_ns_.load(std::memory_order_acquire);
    return {until_ns, position_.load(std::memory_order_acquire)};
  }

 private:
  void run();
  void look();
  bool show(const RingPieces& pieces);

  const SampleRing& ring_;
  perf_data::RecordFilter& filter_;
  const BellThread& emptier_;
  u64 (*const now_)();
  std::atomic<u64> looked_ns_{0}, position_{0};
  u64 still_ns_ = 0;   // for the newest sample; see RecordFilter::see
  BellThread thread_;  // the last member, because it uses the others
};

}  // namespace wperf::perf_events
