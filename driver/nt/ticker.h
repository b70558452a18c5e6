// SPDX-License-Identifier: BSD-3-Clause
// The periodic timer: a system thread that waits for the next period or the end. It is a thread because the function it
// calls may block. start and stop are called at IRQL PASSIVE_LEVEL, one after the other; the thread calls the function
// at PASSIVE_LEVEL too.
#pragma once
#include "base/ints.h"
#include "driver/nt/nt.h"
#include "driver/nt/system_thread.h"

namespace wperf::driver {

class Ticker {
 public:
  using Tick = void (*)(void* context);

  Ticker(Tick tick, void* context) : tick_(tick), context_(context) {}
  Ticker(const Ticker&) = delete;
  Ticker& operator=(const Ticker&) = delete;

  [[nodiscard]] NTSTATUS start(u32 period_ms);
  void stop() { thread_.stop(); }  // returns when the thread has ended; does nothing without a thread

 private:
  void run();

  const Tick tick_;
  void* const context_;
  u32 period_ms_ = 0;
  KTIMER timer_;
  SystemThread thread_;
};

}  // namespace wperf::driver
