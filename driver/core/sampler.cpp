// SPDX-License-Identifier: BSD-3-Clause
#include "driver/core/sampler.h"

#include "driver/core/single_writer_counter.h"
#include "driver/core/stack_walker.h"

namespace wperf::driver {
namespace {

// Sets the counter of `event` so that it overflows one interval after its last overflow, which was `past` counts ago.
// The counts until the interrupt is handled belong to the next interval, so intervals add up exactly.
void begin_interval(Sampler& sampler, const SamplePlan& plan, SampleBank& bank, u32 event, u64 past) {
  const u32 shift = sampler.throttle->shift_of(event);
  const u32 asked = plan.intervals[event] << shift;
  const u64 interval = plan.jitter_shift != 0 ? sampler.jitter.vary(asked, plan.jitter_shift) : asked;
  if (past >= interval) {
    add_to(sampler.merged, past / interval << shift);
    past %= interval;
  }
  bank.set_before_overflow(event, interval - past);
}

void renew(Sampler& sampler, const SamplePlan& plan, SampleBank& bank, u32 event) {
  const u64 past = bank.read(event);
  add_to(sampler.held_back, (u64{1} << sampler.throttle->shift_of(event)) - 1);
  sampler.throttle->adapt(event, plan.intervals[event]);
  begin_interval(sampler, plan, bank, event, past);
}

void renew_all(Sampler& sampler, const SamplePlan& plan, SampleBank& bank, u32 events) {
  for (u32 i = 0; i < plan.event_count; ++i) {
    if (((events >> i) & 1) != 0) {
      renew(sampler, plan, bank, i);
    }
  }
}

void begin_intervals(Sampler& sampler, const SamplePlan& plan, SampleBank& bank) {
  for (u32 i = 0; i < plan.event_count; ++i) {
    begin_interval(sampler, plan, bank, i, 0);
  }
}

void run(Sampler& sampler, SampleBank& bank) {
  bank.run();
  __atomic_store_n(&sampler.settled, 1, __ATOMIC_RELAXED);
}

// The counts were lost together with the registers.
void set_up_anew(Sampler& sampler, const SamplePlan& plan, SampleBank& bank) {
  __atomic_store_n(&sampler.settled, 0, __ATOMIC_RELAXED);  // interrupts may now find the registers half set up
  add_to(sampler.register_losses, 1);
  bank.prepare();
  begin_intervals(sampler, plan, bank);
  run(sampler, bank);
}

// Adds the callers in the kernel; a program's callers are added by the walk.
void push_with_stack(Sampler& sampler, const SamplePlan& plan, const InterruptedContext& interrupted, RingSample& kept,
                     u32 flags) {
  WperfSample& sample = kept.sample;
  WalkedChain chain = {0, false};
  if (sample.exception_level != 0) {
    chain = walk_frame_records(interrupted.fp, {interrupted.kernel_stack_low, interrupted.kernel_stack_high},
                               CodeSpace::kernel, sampler.stack.words + 1, plan.max_stack,
                               [](u64 address, u64(&record)[2]) {
                                 // NOLINTNEXTLINE(performance-no-int-to-ptr): a register holds an address
                                 copy_bytes(record, reinterpret_cast<const void*>(address), sizeof record);
                                 return true;
                               });
    flags |= chain.cut ? u32{WPERF_STACK_CUT} : 0;
  }
  sampler.stack.describe(chain.frames, 0, flags);
  sample.stack_words = static_cast<u8>(1 + chain.frames);
  bool pushed = sampler.ring.push(kept, sampler.stack.words);
  if (!pushed && chain.frames != 0) {
    flags = WPERF_STACK_LOST;
    sampler.stack.describe(0, 0, flags);
    sample.stack_words = 1;
    pushed = sampler.ring.push(kept, sampler.stack.words);
  }
  if (!pushed) {
    add_to(sampler.lost_ring_full, 1);
  } else if ((flags & WPERF_STACK_LOST) != 0) {
    add_to(sampler.lost_stacks, 1);
  } else if ((flags & WPERF_STACK_CUT) != 0) {
    add_to(sampler.cut_stacks, 1);
  }
}

void push(Sampler& sampler, const SamplePlan& plan, Hal& hal, const InterruptedContext& interrupted, RingSample& kept) {
  if (sampler.walks == nullptr) {
    if (!sampler.ring.push(kept)) {
      add_to(sampler.lost_ring_full, 1);
    }
    return;
  }
  const bool program = kept.sample.exception_level == 0;
  if (!program || !ask_for_walk(*sampler.walks, sampler.first_ticket, hal, kept, interrupted, plan.max_stack)) {
    push_with_stack(sampler, plan, interrupted, kept, program ? u32{WPERF_STACK_LOST} : 0);
  }
}

void record(Sampler& sampler, const SamplePlan& plan, Hal& hal, const InterruptedContext& interrupted, u32 events) {
  const bool kernel = interrupted.exception_level != 0;
  if (kernel && !plan.kernel) {
    add_to(sampler.lost_filtered, 1);
    return;
  }
  RingSample kept = {};
  kept.process_start = interrupted.process_start;
  WperfSample& sample = kept.sample;
  sample.time_ns = hal.time_ns();
  sample.pc = interrupted.pc;
  sample.lr = interrupted.lr;
  sample.process = interrupted.process;
  sample.thread = interrupted.thread;
  sample.overflowed = events;
  sample.core = static_cast<u16>(sampler.core);
  sample.exception_level = u8{kernel};
  push(sampler, plan, hal, interrupted, kept);
}

void charge_walks(Sampler& sampler) {
  if (sampler.walks != nullptr) {
    const u64 spent = value_of(sampler.walks->spent_ns);
    sampler.throttle->charge(spent - sampler.walks_charged_ns);
    sampler.walks_charged_ns = spent;
  }
}

}  // namespace

void prepare_sampler(Sampler& sampler, const SamplePlan& plan, Hal& hal) {
  SampleBank bank(hal, sampler.found, plan);
  bank.claim();
  sampler.claimed = true;
  __atomic_store_n(&sampler.ended, 0, __ATOMIC_RELAXED);
  sampler.throttle->begin(hal.time_ns(), plan);
  begin_intervals(sampler, plan, bank);
}

void run_sampler(Sampler& sampler, const SamplePlan& plan, Hal& hal) {
  SampleBank bank(hal, sampler.found, plan);
  run(sampler, bank);
}

void look_after_sampler(Sampler& sampler, const SamplePlan& plan, Hal& hal) {
  SampleBank bank(hal, sampler.found, plan);
  if (__atomic_load_n(&sampler.settled, __ATOMIC_RELAXED) != 0 && !bank.is_set_up()) {
    set_up_anew(sampler, plan, bank);
  }
}

void quiet_sampler(Sampler& sampler, const SamplePlan& plan, Hal& hal) {
  __atomic_store_n(&sampler.settled, 0, __ATOMIC_RELAXED);
  SampleBank(hal, sampler.found, plan).silence();
}

void give_back_sampler(Sampler& sampler, const SamplePlan& plan, Hal& hal) {
  SampleBank(hal, sampler.found, plan).give_back();
  charge_walks(sampler);
  sampler.claimed = false;
}

void take_overflow(Sampler& sampler, const SamplePlan& plan, Hal& hal, const InterruptedContext& interrupted) {
  const u64 arrived_ns = hal.time_ns();
  SampleBank bank(hal, sampler.found, plan);
  if (__atomic_load_n(&sampler.ended, __ATOMIC_RELAXED) != 0) {
    bank.silence();
    return;
  }
  const u32 events = bank.pause_overflowed();
  if (events == 0) {
    return;  // another user's interrupt
  }
  charge_walks(sampler);
  sampler.throttle->arrive(arrived_ns);
  if (bank.counts_for(events)) {
    renew_all(sampler, plan, bank, events);
    record(sampler, plan, hal, interrupted, events);
    bank.resume(events);  // called late, so that the counters count as little of this code as possible
  } else {
    set_up_anew(sampler, plan, bank);
  }
  sampler.throttle->leave(hal.time_ns());
}

void end_sampler_from_afar(Sampler& sampler) {
  __atomic_store_n(&sampler.ended, 1, __ATOMIC_RELAXED);
}

namespace {

// Fills in the fields about a core that both kinds of answer have.
template <typename Reply>
void fill_core_statistics(const Sampler& sampler, u64 pushed, bool more, Reply& reply) {
  const u64 merged = value_of(sampler.merged);
  reply.core = sampler.core;
  reply.more = more ? 1 : 0;
  reply.merged = merged < ~u32{0} ? static_cast<u32>(merged) : ~u32{0};
  reply.held_back = value_of(sampler.held_back);
  reply.register_losses = value_of(sampler.register_losses);
  reply.lost_ring_full =
      value_of(sampler.lost_ring_full) + (sampler.walks != nullptr ? value_of(sampler.walks->lost_ring_full) : 0);
  const u64 lost_filtered = value_of(sampler.lost_filtered);
  reply.lost_filtered = lost_filtered + sampler.hidden;
  // Computed, not counted, so that the numbers of an answer add up even if an interrupt comes in the meantime. Samples
  // that wait for their stack are counted when they get it.
  reply.taken = pushed + reply.lost_ring_full + lost_filtered;
}

}  // namespace

void drain_sampler(Sampler& sampler, VisibilityFilter& visibility, WperfDrainReply& reply) {
  u64* const records = reinterpret_cast<u64*>(reply.samples);
  const auto visible = [&visibility](const RingSample& kept) { return visibility.may_see(kept); };
  const SampleRing::PopResult popped =
      sampler.ring.pop(records, WPERF_MAX_DRAINED * kSampleWords, WPERF_MAX_DRAINED, visible);
  reply.count = popped.count - popped.dropped;
  sampler.hidden += popped.dropped;
  fill_core_statistics(sampler, popped.pushed, popped.left != 0, reply);
}

void drain_sampler(Sampler& sampler, VisibilityFilter& visibility, WperfStackDrainReply& reply) {
  constexpr u32 kRoom = sizeof reply.records / sizeof(u64);
  u64* const records = reinterpret_cast<u64*>(reply.records);
  const auto visible = [&visibility](const RingSample& kept) { return visibility.may_see(kept); };
  const SampleRing::PopResult first = sampler.ring.pop(records, kRoom, kRoom, visible);
  const SampleRing::PopResult walked =
      sampler.walks->done.pop(records + first.words, kRoom - first.words, kRoom, visible);
  sampler.hidden += first.dropped + walked.dropped;
  reply.bytes = (first.words + walked.words) * static_cast<u32>(sizeof(u64));
  reply.lost_stacks = value_of(sampler.lost_stacks) + value_of(sampler.walks->lost_stacks);
  reply.cut_stacks = value_of(sampler.cut_stacks) + value_of(sampler.walks->cut_stacks);
  fill_core_statistics(sampler, first.pushed + walked.pushed, first.left + walked.left != 0, reply);
}

}  // namespace wperf::driver
