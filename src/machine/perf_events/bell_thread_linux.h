// SPDX-License-Identifier: BSD-3-Clause
// A thread that waits for events of the kernel, and for a bell that other threads ring.
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

  // `run` polls bell(), silences it, and returns if is_ending().
  diag::Result<void> start(std::function<void()> run);
  // Returns true if the thread ran. Waits for its end.
  bool stop();

  // From any thread.
  void ring() const;
  int bell() const { return bell_.number(); }  // readable since it was rung, until it is silenced
  void silence() const;
  bool is_ending() const { return is_ending_; }

 private:
  Descriptor bell_;
  std::atomic<bool> is_ending_ = false;
  std::thread thread_;
};

}  // namespace wperf::perf_events
