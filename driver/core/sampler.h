// SPDX-License-Identifier: BSD-3-Clause
// Sampling on one core: programs its counters, turns each overflow into a sample and sets the counter for the next
// overflow. prepare, run, look_after, quiet and give_back run on the core. take_overflow is the core's interrupt. It
// may interrupt run, look_after and quiet, but not the other two. drain runs anywhere. Nothing here waits, allocates or
// can fail.
#pragma once
#include "abi/wire.h"
#include "base/ints.h"
#include "driver/core/jitter.h"
#include "driver/core/sample_bank.h"
#include "driver/core/sample_request.h"
#include "driver/core/sample_ring.h"
#include "driver/core/throttle.h"
#include "driver/core/user_walks.h"
#include "driver/core/visibility_filter.h"
#include "driver/hal.h"

namespace wperf::driver {

// Lives in zeroed memory of Hal::allocate; every field is valid when zeroed.
struct Sampler {
  u32 core;
  bool claimed;  // the hardware belongs to this session: registers must be restored
  u32 ended;     // atomic; set from elsewhere when the core could not be reached to stop it
  u32 settled;   // atomic; set while the registers must have the values that were set up
  SampleRegisters found;
  Jitter jitter;
  Throttle* throttle;  // the core's

  // Written by the interrupt, read by drain: atomic.
  u64 lost_ring_full;
  u64 lost_filtered;
  u64 merged;
  u64 held_back;
  u64 register_losses;

  u64 hidden;  // drained, but hidden from the client; used only by drain

  SampleRing ring;

  // With stacks:
  UserWalks* walks;  // null without stacks
  u32 first_ticket;  // ticket of the first walk
  u64 walks_charged_ns;
  u64 lost_stacks;  // written in the interrupt, read by drain: atomic
  u64 cut_stacks;
  StackWords stack;  // used in the interrupt
};

void prepare_sampler(Sampler& sampler, const SamplePlan& plan, Hal& hal);
void run_sampler(Sampler& sampler, const SamplePlan& plan, Hal& hal);
void quiet_sampler(Sampler& sampler, const SamplePlan& plan, Hal& hal);
void give_back_sampler(Sampler& sampler, const SamplePlan& plan, Hal& hal);

// Sets the registers up again if they were lost. Called on the core, between run and quiet.
void look_after_sampler(Sampler& sampler, const SamplePlan& plan, Hal& hal);

void take_overflow(Sampler& sampler, const SamplePlan& plan, Hal& hal, const InterruptedContext& interrupted);

// For a core that cannot be reached: its next interrupt ends the sampling there. May be called on any core.
void end_sampler_from_afar(Sampler& sampler);

// `reply` must be zeroed; its header is not touched.
void drain_sampler(Sampler& sampler, VisibilityFilter& visibility, WperfDrainReply& reply);
void drain_sampler(Sampler& sampler, VisibilityFilter& visibility, WperfStackDrainReply& reply);

}  // namespace wperf::driver
