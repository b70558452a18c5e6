// SPDX-License-Identifier: BSD-3-Clause
#include "driver/core/sample_session.h"

#include "driver/core/core_mask.h"
#include "driver/core/on_core.h"

namespace wperf::driver {

WperfStatus SampleSession::configure(const WperfSampleRequest& request, const HardwareFacts& machine) {
  if (sampling_) {
    return WPERF_WRONG_STATE;
  }
  if (const WperfStatus status = settle(); status != WPERF_OK) {
    return status;
  }
  const usize cores = count_cores(request.core_mask);
  const u32 ring_words = ring_words_of(request);
  const usize ring_bytes = ring_words * sizeof(u64);
  const bool stacks = request.max_stack != 0;
  const usize walk_bytes = stacks ? sizeof(UserWalks) + ring_bytes : 0;
  release_memory();
  void* memory = hal_.allocate(cores * (sizeof(Sampler) + ring_bytes + walk_bytes));
  if (memory == nullptr) {
    return WPERF_NO_MEMORY;
  }
  void* walks = stacks ? hal_.make_user_walks(static_cast<u32>(cores) * kWalksPerCore) : nullptr;
  if (stacks && walks == nullptr) {
    hal_.free(memory);
    return WPERF_NO_MEMORY;
  }
  plan_ = plan_of(request, machine);
  samplers_ = static_cast<Sampler*>(memory);
  u64* words = reinterpret_cast<u64*>(samplers_ + cores);
  for (u32 core = 0; core < machine.core_count; ++core) {
    if (has_core(request.core_mask, core)) {
      Sampler& sampler = samplers_[sampler_count_++];
      sampler.core = core;
      sampler.throttle = &gates_[core].throttle;
      sampler.jitter.seed(request.seed, core);
      sampler.ring.attach(words, ring_words);
      words += ring_words;
    }
  }
  if (stacks) {
    attach_walks(words, ring_words);
    hal_.place_user_walks(walks);
  }
  return WPERF_OK;
}

// The memory holds the rings, then the rings of walked samples, then the waiting samples.
void SampleSession::attach_walks(u64* words, u32 ring_words) {
  UserWalks* walks = reinterpret_cast<UserWalks*>(words + usize{ring_words} * sampler_count_);
  for (u32 i = 0; i < sampler_count_; ++i) {
    samplers_[i].walks = walks + i;
    samplers_[i].first_ticket = i * kWalksPerCore;
    walks[i].done.attach(words + usize{ring_words} * i, ring_words);
  }
}

WperfStatus SampleSession::start() {
  if (samplers_ == nullptr || sampling_) {
    return WPERF_WRONG_STATE;
  }
  if (const WperfStatus status = settle(); status != WPERF_OK) {
    return status;
  }
  if (const WperfStatus status = hal_.take_interrupt(); status != WPERF_OK) {
    return status;
  }
  walks_may_come_ = plan_.max_stack != 0;
  for (u32 i = 0; i < sampler_count_; ++i) {
    if (const WperfStatus status = start_one(samplers_[i]); status != WPERF_OK) {
      static_cast<void>(settle());
      return status;
    }
  }
  sampling_ = true;
  return WPERF_OK;
}

WperfStatus SampleSession::stop() {
  if (!sampling_) {
    return WPERF_WRONG_STATE;
  }
  sampling_ = false;
  return settle();
}

WperfStatus SampleSession::find_to_drain(const WperfDrainRequest& request, bool stacks, Sampler** sampler) {
  if (samplers_ == nullptr || stacks != (plan_.max_stack != 0)) {
    return WPERF_WRONG_STATE;
  }
  if (request.reserved != 0) {
    return WPERF_BAD_ARGUMENT;
  }
  for (u32 i = 0; i < sampler_count_; ++i) {
    if (samplers_[i].core == request.core) {
      if (sampling_) {
        look_after(samplers_[i]);
      }
      *sampler = &samplers_[i];
      return WPERF_OK;
    }
  }
  return WPERF_BAD_ARGUMENT;
}

void SampleSession::on_user_walk(u32 ticket, const WalkedStack& stack) {
  take_walk(*samplers_[ticket / kWalksPerCore].walks, ticket % kWalksPerCore, stack);
}

void SampleSession::on_user_walk_lost(u32 ticket) {
  lose_walk(*samplers_[ticket / kWalksPerCore].walks, ticket % kWalksPerCore);
}

WperfStatus SampleSession::settle() {
  WperfStatus result = WPERF_OK;
  for (u32 i = 0; i < sampler_count_; ++i) {
    Sampler& sampler = samplers_[i];
    if (sampler.claimed) {
      if (const WperfStatus status = stop_one(sampler); status != WPERF_OK) {
        end_sampler_from_afar(sampler);
        result = status;
      }
    }
  }
  for (u32 core = 0; core < WPERF_MAX_CORES; ++core) {
    Gate& gate = gates_[core];
    auto work = [&] { silence_orphans(gate); };
    if (__atomic_load_n(&gate.orphans, __ATOMIC_RELAXED) != 0) {
      const WperfStatus status = run_on(hal_, core, work);
      result = status != WPERF_OK ? status : result;
    }
  }
  if (!sampling_) {
    end_walks();
  }
  return result;
}

// At this point no interrupt asks for another walk.
void SampleSession::end_walks() {
  if (!walks_may_come_) {
    return;
  }
  walks_may_come_ = false;
  hal_.end_user_walks();
  for (u32 i = 0; i < sampler_count_; ++i) {
    lose_waiting_walks(*samplers_[i].walks);
  }
}

void SampleSession::discard() {
  sampling_ = false;
  static_cast<void>(settle());
  release_memory();
}

u64 SampleSession::on_overflow(u32 core, const InterruptedContext& interrupted) {
  if (core >= WPERF_MAX_CORES) {
    return 0;
  }
  u64 ours = 0;
  Gate& gate = gates_[core];
  __atomic_store_n(&gate.inside, 1, __ATOMIC_SEQ_CST);  // before the check: see close_from_afar
  if (Sampler* sampler = __atomic_load_n(&gate.sampler, __ATOMIC_SEQ_CST); sampler != nullptr) {
    take_overflow(*sampler, plan_, hal_, interrupted);
    ours = plan_.counter_mask;
  } else {
    silence_orphans(gate);
  }
  __atomic_store_n(&gate.inside, 0, __ATOMIC_RELEASE);
  return ours;
}

WperfStatus SampleSession::start_one(Sampler& sampler) {
  auto work = [&] {
    prepare_sampler(sampler, plan_, hal_);
    __atomic_store_n(&gates_[sampler.core].sampler, &sampler, __ATOMIC_RELEASE);
    run_sampler(sampler, plan_, hal_);
  };
  return run_on(hal_, sampler.core, work);
}

WperfStatus SampleSession::stop_one(Sampler& sampler) {
  auto work = [&] {
    quiet_sampler(sampler, plan_, hal_);
    __atomic_store_n(&gates_[sampler.core].sampler, static_cast<Sampler*>(nullptr), __ATOMIC_RELEASE);
    give_back_sampler(sampler, plan_, hal_);
  };
  return run_on(hal_, sampler.core, work);
}

// Counters that have lost their registers no longer interrupt, so they must be checked. A core that cannot be reached
// has no registers to lose.
void SampleSession::look_after(Sampler& sampler) {
  auto work = [&] { look_after_sampler(sampler, plan_, hal_); };
  static_cast<void>(run_on(hal_, sampler.core, work));
}

// Runs on the gate's core. Without a handler the interrupt would be raised again for ever.
void SampleSession::silence_orphans(Gate& gate) {
  const u64 orphans = __atomic_load_n(&gate.orphans, __ATOMIC_RELAXED);
  if (orphans != 0) {
    silence_counters(hal_, orphans);
    __atomic_store_n(&gate.orphans, 0, __ATOMIC_RELAXED);
  }
}

// Either the interrupt sees that the gate is closed, or this code sees that the interrupt is inside, because both check
// after they have written. The interrupt stays inside for a microsecond. It cannot be inside on this core, because then
// this code would not run.
void SampleSession::close_from_afar(Gate& gate) {
  if (gate.sampler == nullptr) {
    return;
  }
  __atomic_store_n(&gate.orphans, plan_.counter_mask, __ATOMIC_RELAXED);
  __atomic_store_n(&gate.sampler, static_cast<Sampler*>(nullptr), __ATOMIC_SEQ_CST);
  while (__atomic_load_n(&gate.inside, __ATOMIC_SEQ_CST) != 0) {
  }
}

void SampleSession::release_memory() {
  for (u32 i = 0; i < sampler_count_; ++i) {
    close_from_afar(gates_[samplers_[i].core]);
  }
  if (samplers_ != nullptr && plan_.max_stack != 0) {
    hal_.end_user_walks();  // includes interrupts that were running on an unreachable core
    hal_.place_user_walks(nullptr);
  }
  if (samplers_ != nullptr) {
    hal_.free(samplers_);
  }
  samplers_ = nullptr;
  sampler_count_ = 0;
}

}  // namespace wperf::driver
