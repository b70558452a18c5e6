// SPDX-License-Identifier: BSD-3-Clause
// The thread that moves the kernel's records from the rings into a file. It does nothing else, so that it can keep up
// with any rate.
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

// In nanoseconds: the time, and the CPU time of the calling thread.
struct RecordingClocks {
  u64 (*now)();
  u64 (*processor_time)();
};
RecordingClocks system_clocks();

class RecordingThread {
 public:
  // Called if this ring was nearly full; may add a larger one in its place.
  using Enlarge = std::function<void(usize ring)>;

  // The rings and the file must outlive this object, and nothing else may use them between start() and stop().
  // `filter`: each record passes through it; may be null. If the filter wants to see samples immediately, rings are not
  // enlarged.
  RecordingThread(std::vector<SampleRing>& rings, os::RecordingFile& file, perf_data::RecordFilter* filter = nullptr,
                  RecordingClocks clocks = system_clocks(), Enlarge enlarge = {})
      : rings_(rings), file_(file), filter_(filter), clocks_(clocks), enlarge_(std::move(enlarge)) {}
  ~RecordingThread() { stop(); }
  RecordingThread(const RecordingThread&) = delete;
  RecordingThread& operator=(const RecordingThread&) = delete;

  // Starts to empty the rings.
  diag::Result<void> start();
  // Adds records of the state before the recording. Finding them takes a while, during which the rings must not fill
  // up.
  void add_earlier(std::string_view records);
  // When this returns, the records that were in the rings are in the file, except records that no watcher has seen yet.
  // Can be called by any thread.
  void carry_over(bool is_last = false);
  // Moves the remaining records from the rings into the file.
  void stop();

  // See RecordFilter; can be called by any thread.
  std::string jit_code();
  stacks::PythonSamples python();

  // The size of the file; can be called while the thread runs.
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
  std::string filtered_;  // the filter's output of a round
  u64 filtering_ns_ = 0;  // the CPU time that the filter took
  u64 last_round_ns_ = 0;
  std::mutex writing_;
  bool has_earlier_ = false;
  std::atomic<u64> written_{0};
  BellThread thread_;                                   // uses all members above
  std::vector<std::unique_ptr<RingWatcher>> watchers_;  // either one for each ring or none; they ring the thread's bell
};

}  // namespace wperf::perf_events
