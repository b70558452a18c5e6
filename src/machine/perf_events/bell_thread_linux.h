// SPDX-License-Identifier: BSD-3-Clause
// A thread that waits for kernel events, and for a bell that other threads ring.
#pragma once
#include <atomic>
#include <functional>
#include <thread>

#include "ground/diag/result.h"
#include "machine/perf_events/counter_linux.h"

namespace wperf::perf_events {

class BellThread {
 public:
  BellThread();
  ~BellThread() { stop(); }
  BellThread(const BellThread&) = delete;
  BellThread& operator=(const BellThread&) = delete;

  // `run` must poll bell(), silence it, and return if is_ending().
  diag::Result<void> start(std::function<void()> run);
  // Ends the thread and waits for it. Returns true if it was running.
  bool stop();

  // Can be called by any thread.
  void ring() const;
  int bell() const { return bell_.number(); }  // readable from ring() until it is silenced
  void silence() const;
  bool is_ending() const { return is_ending_; }

 private:
  Descriptor bell_;
  std::atomic<bool> is_ending_ = false;
  std::thread thread_;
};

}  // namespace wperf::perf_events
