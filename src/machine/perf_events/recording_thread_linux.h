// SPDX-License-Identifier: BSD-3-Clause
// The thread that moves the kernel's records from the rings into a file. It does nothing else, so that it keeps up with
// any rate.
#pragma once
#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "formats/perf_data/perf_file_layout.h"
#include "ground/os/recording_file.h"
#include "machine/perf_events/bell_thread_linux.h"
#include "machine/perf_events/ring_watcher_linux.h"
#include "machine/perf_events/rings_linux.h"

namespace wperf::perf_events {

// In nanoseconds: the time, and the processor time of the calling thread.
struct RecordingClocks {
  u64 (*now)();
  u64 (*processor_time)();
};
RecordingClocks system_clocks();

class RecordingThread {
 public:
  // Called when the ring of this number was nearly full: may add a larger one in its place.
  using Enlarge = std::function<void(usize ring)>;

  // The rings and the file outlive this object, and only this object touches them between start() and stop(). `filter`:
  // each record passes through it; may be null. If it wants to see samples at once, the rings stay as they are.
  RecordingThread(std::vector<SampleRing>& rings, os::RecordingFile& file, perf_data::RecordFilter* filter = nullptr,
                  RecordingClocks clocks = system_clocks(), Enlarge enlarge = {})
      : rings_(rings), file_(file), filter_(filter), clocks_(clocks), enlarge_(std::move(enlarge)) {}
  ~RecordingThread() { stop(); }
  RecordingThread(const RecordingThread&) = delete;
  RecordingThread& operator=(const RecordingThread&) = delete;

  // From now on the rings are emptied.
  diag::Result<void> start();
  // Adds records of the earlier state. Finding them takes a while, during which no ring may fill up.
  void add_earlier(std::string_view records);
  // From any thread: the records that are in the rings now will be in the file when this returns, except for those that
  // no watcher has seen yet.
  void carry_over(bool is_last = false);
  // Brings the rest of the rings into the file.
  void stop();

  // As RecordFilter::made_code(), from any thread.
  std::string made_code();

  // Bytes of the file; may be called while it runs.
  u64 written() const { return written_.load(std::memory_order_relaxed); }

 private:
  void run();
  u64 take(usize ring, u64 began_ns);
  void end_round();
  void enlarge_full_ones();

  std::vector<SampleRing>& rings_;
  os::RecordingFile& file_;
  perf_data::RecordFilter* const filter_;
  const RecordingClocks clocks_;
  const Enlarge enlarge_;
  std::string filtered_;  // its output of a round
  u64 filtering_ns_ = 0;  // the processor time for it
  u64 last_round_ns_ = 0;
  std::mutex writing_;
  bool has_earlier_ = false;
  std::atomic<u64> written_{0};
  BellThread thread_;                                   // uses all members before it
  std::vector<std::unique_ptr<RingWatcher>> watchers_;  // one for each ring, or none; they ring the thread's bell
};

}  // namespace wperf::perf_events
