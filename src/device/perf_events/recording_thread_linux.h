// SPDX-License-Identifier: BSD-3-Clause
// The thread that carries what the kernel writes into rings over into a file, and does nothing else, so that it keeps
// up with any rate. Called by the recording session of the Linux device.
#pragma once
#include <atomic>
#include <thread>
#include <vector>

#include "device/perf_events/recording_file_linux.h"
#include "device/perf_events/sample_ring_linux.h"

namespace wperf::perf_events {

class RecordingThread {
 public:
  // Both outlive this and are not touched between start() and stop().
  RecordingThread(std::vector<SampleRing>& rings, RecordingFile& file) : rings_(rings), file_(file) {}
  ~RecordingThread() { stop(); }
  RecordingThread(const RecordingThread&) = delete;
  RecordingThread& operator=(const RecordingThread&) = delete;

  diag::Result<void> start();
  // Brings what is left in the rings into the file.
  void stop();

  // While it runs: bytes of the file.
  u64 written() const { return written_.load(std::memory_order_relaxed); }

 private:
  void run();
  void carry_over();

  std::vector<SampleRing>& rings_;
  RecordingFile& file_;
  Descriptor stop_;  // readable: end
  std::thread thread_;
  std::atomic<u64> written_{0};
};

}  // namespace wperf::perf_events
