// SPDX-License-Identifier: BSD-3-Clause
// One client's sampling, from configure to drain: owns the samplers and their rings. Samples and losses accumulate
// across start and stop until the next configuration. Requests come one at a time; on_overflow() may be called on any
// core at any time, even in the middle of a request that runs on that core, and takes no lock.
#pragma once
#include "abi/status.h"
#include "abi/wire.h"
#include "base/ints.h"
#include "driver/core/hardware_facts.h"
#include "driver/core/sample_request.h"
#include "driver/core/sampler.h"
#include "driver/core/visibility_filter.h"
#include "driver/hal.h"

namespace wperf::driver {

class SampleSession {
 public:
  explicit SampleSession(Hal& hal) : hal_(hal) {}

  bool sampling() const { return sampling_; }

  // `request` must have passed check_sample_request(). The only step that allocates. Frees the earlier configuration's
  // memory first, so that both never exist at once; if memory is short, no configuration remains.
  [[nodiscard]] WperfStatus configure(const WperfSampleRequest& request, const HardwareFacts& machine);
  [[nodiscard]] WperfStatus start();
  // Always ends sampling. If it fails, a core was not reached; that core stops at its next interrupt.
  [[nodiscard]] WperfStatus stop();
  // Returns the oldest samples of a core and discards them. `reply` must be zeroed. Its type must match the session,
  // with or without stacks.
  template <typename Reply>
  [[nodiscard]] WperfStatus drain(const WperfDrainRequest& request, VisibilityFilter& visibility, Reply& reply) {
    constexpr bool kStacks = sizeof(Reply) == sizeof(WperfStackDrainReply);
    Sampler* sampler = nullptr;
    const WperfStatus status = find_to_drain(request, kStacks, &sampler);
    if (status == WPERF_OK) {
      drain_sampler(*sampler, visibility, reply);
    }
    return status;
  }
  // Tries again to restore registers of cores that could not be reached. Not called while sampling.
  [[nodiscard]] WperfStatus settle();
  void discard();  // stops if necessary and discards all samples

  // The two answers to Hal::ask_for_user_walk.
  void on_user_walk(u32 ticket, const WalkedStack& stack);
  void on_user_walk_lost(u32 ticket);

  // Returns the counters of this core that belong to the session.
  u64 on_overflow(u32 core, const InterruptedContext& interrupted);

 private:
  // A core's interrupt finds its sampler through this gate. The gate is opened and closed on that core, because code
  // there never runs in the middle of the interrupt. Another core may only close the gate, and only while the interrupt
  // is not inside. Cores share no cache line.
  struct alignas(64) Gate {
    Sampler* sampler = nullptr;
    u64 orphans = 0;  // counters to be silenced: their sampler was freed before they could be given back
    u32 inside = 0;
    Throttle throttle = {};
  };

  [[nodiscard]] WperfStatus find_to_drain(const WperfDrainRequest& request, bool stacks, Sampler** sampler);
  void attach_walks(u64* words, u32 ring_words);
  void end_walks();
  [[nodiscard]] WperfStatus start_one(Sampler& sampler);
  [[nodiscard]] WperfStatus stop_one(Sampler& sampler);
  void look_after(Sampler& sampler);
  void silence_orphans(Gate& gate);
  void close_from_afar(Gate& gate);
  void release_memory();

  Hal& hal_;
  SamplePlan plan_ = {};
  bool sampling_ = false;
  Sampler* samplers_ = nullptr;  // points to the start of the one block of memory; the rings follow
  u32 sampler_count_ = 0;
  bool walks_may_come_ = false;
  Gate gates_[WPERF_MAX_CORES];
};

}  // namespace wperf::driver
