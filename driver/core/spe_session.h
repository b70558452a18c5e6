// SPDX-License-Identifier: BSD-3-Clause
// One client's statistical profiling, from configure to drain: owns the profilers of the cores and their buffers. Bytes
// and losses accumulate across start and stop until the next configuration. Requests come one at a time. The timer may
// run concurrently, under the hal's lock. on_interrupt() may be called on any core at any time and takes no lock.
#pragma once
#include "abi/status.h"
#include "abi/wire.h"
#include "base/ints.h"
#include "driver/core/hardware_facts.h"
#include "driver/core/shared_timer.h"
#include "driver/core/spe_profiler.h"
#include "driver/core/spe_request.h"
#include "driver/hal.h"

namespace wperf::driver {

// The longest time that the hardware waits with a full buffer, if its interrupt does not reach the driver.
inline constexpr u32 kSpeTickMs = 10;

class SpeSession {
 public:
  SpeSession(Hal& hal, SharedTimer& timer) : hal_(hal), timer_(timer) {}

  bool profiling() const { return profiling_; }

  // Checks the request, in general and on each chosen core.
  [[nodiscard]] WperfStatus check(const WperfSpeRequest& request, const HardwareFacts& machine);
  // `request` must have passed check(). The only step that allocates. Frees the earlier configuration's memory first,
  // so that both never exist at once; if memory is short, no configuration remains.
  [[nodiscard]] WperfStatus configure(const WperfSpeRequest& request, const HardwareFacts& machine);
  [[nodiscard]] WperfStatus start();
  // Always ends profiling; a failure means that a core could not be reached: settle() tries again.
  [[nodiscard]] WperfStatus stop();
  // Returns the oldest bytes of a core and discards them. `reply` must be zeroed.
  [[nodiscard]] WperfStatus drain(const WperfDrainRequest& request, WperfSpeDrainReply& reply);
  // Tries again to stop cores that could not be reached. Not called while profiling.
  [[nodiscard]] WperfStatus settle();
  // Stops if necessary and discards everything. The memory of a core that cannot be reached stays, because the hardware
  // may write it.
  void discard();
  void tick();

  bool on_interrupt(u32 core);

 private:
  [[nodiscard]] WperfStatus check_cores(const WperfSpeRequest& request, u32 core_count);
  [[nodiscard]] WperfStatus check_core(const WperfSpeRequest& request, u32 core);
  [[nodiscard]] WperfStatus allocate_profilers(const WperfSpeRequest& request, const HardwareFacts& machine,
                                               SpeProfiler*& profilers);
  [[nodiscard]] WperfStatus start_all();
  [[nodiscard]] WperfStatus start_one(SpeProfiler& profiler);
  [[nodiscard]] WperfStatus stop_one(SpeProfiler& profiler);
  [[nodiscard]] WperfStatus stop_all();
  [[nodiscard]] WperfStatus look_at(SpeProfiler& profiler, SpeLook look);
  void release_memory();
  void free_profilers(SpeProfiler* profilers, u32 count);
  SpeProfiler* find(u32 core);

  Hal& hal_;
  SharedTimer& timer_;
  SpePlan plan_ = {};
  bool configured_ = false;
  bool profiling_ = false;
  SpeProfiler* profilers_ = nullptr;
  u32 profiler_count_ = 0;
  SpeProfiler* gates_[WPERF_MAX_CORES] = {};  // the place where a core's interrupt finds its profiler; changed on that
                                              // core
};

}  // namespace wperf::driver
