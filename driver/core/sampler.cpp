// SPDX-License-Identifier: BSD-3-Clause
#include "driver/core/sampler.h"

#include "driver/core/lone_writer.h"
#include "driver/core/pmu_registers.h"

namespace wperf::driver {
namespace {

bool on_cycle_counter(const SamplePlan& plan, u32 event) {
  return plan.counters[event] == kCycleCounter;
}

// Sets the counter of `event` so that it overflows one interval after it did `past` counts ago: what passed until the
// interrupt is handled belongs to the next interval, so intervals add up exactly.
void begin_interval(Sampler& sampler, const SamplePlan& plan, SampleBank& bank, u32 event, u64 past) {
  const u32 asked = plan.intervals[event];
  const u64 interval = plan.jitter_shift != 0 ? sampler.jitter.vary(asked, plan.jitter_shift) : asked;
  if (past >= interval) {
    add_to(sampler.merged, past / interval);
    past %= interval;
  }
  bank.set_before_overflow(event, interval - past);
  if (on_cycle_counter(plan, event)) {
    sampler.cycles_set = past - interval;
  }
}

void account_cycles(Sampler& sampler, u64 cycles) {
  sampler.cycles_passed += cycles - sampler.cycles_set;
}

void renew(Sampler& sampler, const SamplePlan& plan, SampleBank& bank, u32 event) {
  const u64 past = bank.read(event);
  if (on_cycle_counter(plan, event)) {
    account_cycles(sampler, past);
  }
  begin_interval(sampler, plan, bank, event, past);
}

void record(Sampler& sampler, const SamplePlan& plan, Hal& hal, const InterruptedContext& interrupted, u32 events) {
  const bool kernel = interrupted.exception_level != 0;
  if (kernel && !plan.kernel) {
    add_to(sampler.lost_filtered, 1);
    return;
  }
  WperfSample sample = {};
  sample.time_ns = hal.time_ns();
  sample.pc = interrupted.pc;
  sample.lr = interrupted.lr;
  sample.process = interrupted.process;
  sample.thread = interrupted.thread;
  sample.overflowed = events;
  sample.core = static_cast<u16>(sampler.core);
  sample.exception_level = kernel ? 1 : 0;
  if (!sampler.ring.push(sample)) {
    add_to(sampler.lost_ring_full, 1);
  }
}

}  // namespace

void prepare_sampler(Sampler& sampler, const SamplePlan& plan, Hal& hal) {
  SampleBank bank(hal, sampler.found, plan);
  bank.claim();
  sampler.claimed = true;
  sampler.cycles_passed = 0;
  __atomic_store_n(&sampler.ended, 0, __ATOMIC_RELAXED);
  for (u32 i = 0; i < plan.event_count; ++i) {
    begin_interval(sampler, plan, bank, i, 0);
  }
}

void run_sampler(Sampler& sampler, const SamplePlan& plan, Hal& hal) {
  SampleBank(hal, sampler.found, plan).run();
}

void quiet_sampler(Sampler& sampler, const SamplePlan& plan, Hal& hal) {
  SampleBank(hal, sampler.found, plan).silence();
}

void give_back_sampler(Sampler& sampler, const SamplePlan& plan, Hal& hal) {
  SampleBank bank(hal, sampler.found, plan);
  if (plan.uses_cycle_counter) {
    account_cycles(sampler, hal.read_register(Register::pmccntr));
  }
  bank.give_back(sampler.cycles_passed);
  sampler.claimed = false;
}

void take_overflow(Sampler& sampler, const SamplePlan& plan, Hal& hal, const InterruptedContext& interrupted) {
  SampleBank bank(hal, sampler.found, plan);
  if (__atomic_load_n(&sampler.ended, __ATOMIC_RELAXED) != 0) {
    bank.silence();
    return;
  }
  const u32 events = bank.pause_overflowed();
  if (events == 0) {
    return;  // somebody else's interrupt
  }
  for (u32 i = 0; i < plan.event_count; ++i) {
    if (((events >> i) & 1) != 0) {
      renew(sampler, plan, bank, i);
    }
  }
  record(sampler, plan, hal, interrupted, events);
  bank.resume(events);  // last: what is counted of the kernel should be as little of this as can be
}

void end_sampler_from_afar(Sampler& sampler) {
  __atomic_store_n(&sampler.ended, 1, __ATOMIC_RELAXED);
}

void drain_sampler(Sampler& sampler, Onlooker& onlooker, WperfDrainReply& reply) {
  const SampleRing::Popped popped = sampler.ring.pop(reply.samples, WPERF_MAX_DRAINED);
  const u64 merged = value_of(sampler.merged);
  reply.core = sampler.core;
  reply.count = onlooker.keep_visible(reply.samples, popped.count);
  sampler.hidden += popped.count - reply.count;
  reply.more = popped.left != 0 ? 1 : 0;
  reply.merged = merged < ~u32{0} ? static_cast<u32>(merged) : ~u32{0};
  reply.lost_ring_full = value_of(sampler.lost_ring_full);
  const u64 lost_filtered = value_of(sampler.lost_filtered);
  reply.lost_filtered = lost_filtered + sampler.hidden;
  // Not a counter of its own: so the numbers of an answer agree, whatever the interrupt does meanwhile.
  reply.taken = popped.pushed + reply.lost_ring_full + lost_filtered;
}

}  // namespace wperf::driver
