// SPDX-License-Identifier: BSD-3-Clause
#include "driver/core/sample_session.h"

#include "driver/core/core_mask.h"
#include "driver/core/on_core.h"

namespace wperf::driver {

WperfStatus SampleSession::configure(const WperfSampleRequest& request, const Machine& machine) {
  if (sampling_) {
    return WPERF_WRONG_STATE;
  }
  if (const WperfStatus status = settle(); status != WPERF_OK) {
    return status;
  }
  const usize cores = count_cores(request.core_mask);
  const u32 ring_samples = ring_samples_of(request);
  void* memory = hal_.allocate(cores * (sizeof(Sampler) + ring_samples * sizeof(WperfSample)));
  if (memory == nullptr) {
    return WPERF_NO_MEMORY;
  }
  release_memory();
  plan_ = plan_of(request, machine);
  samplers_ = static_cast<Sampler*>(memory);
  WperfSample* slots = reinterpret_cast<WperfSample*>(samplers_ + cores);
  for (u32 core = 0; core < machine.core_count; ++core) {
    if (has_core(request.core_mask, core)) {
      Sampler& sampler = samplers_[sampler_count_++];
      sampler.core = core;
      sampler.jitter.seed(request.seed, core);
      sampler.ring.attach(slots, ring_samples);
      slots += ring_samples;
    }
  }
  return WPERF_OK;
}

WperfStatus SampleSession::start() {
  if (samplers_ == nullptr || sampling_) {
    return WPERF_WRONG_STATE;
  }
  if (const WperfStatus status = settle(); status != WPERF_OK) {
    return status;
  }
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

WperfStatus SampleSession::drain(const WperfDrainRequest& request, Onlooker& onlooker, WperfDrainReply& reply) {
  if (samplers_ == nullptr) {
    return WPERF_WRONG_STATE;
  }
  if (request.reserved != 0) {
    return WPERF_BAD_ARGUMENT;
  }
  for (u32 i = 0; i < sampler_count_; ++i) {
    if (samplers_[i].core == request.core) {
      drain_sampler(samplers_[i], onlooker, reply);
      return WPERF_OK;
    }
  }
  return WPERF_BAD_ARGUMENT;
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
  return result;
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
  __atomic_store_n(&gate.inside, 1, __ATOMIC_SEQ_CST);  // before the look: see close_from_afar
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

// On the gate's core. An interrupt that nobody answers would come again for ever.
void SampleSession::silence_orphans(Gate& gate) {
  const u64 orphans = __atomic_load_n(&gate.orphans, __ATOMIC_RELAXED);
  if (orphans != 0) {
    silence_counters(hal_, orphans);
    __atomic_store_n(&gate.orphans, 0, __ATOMIC_RELAXED);
  }
}

// Either the interrupt sees that the gate is closed, or we see that it is inside: both look after they wrote. It stays
// inside for a microsecond, and on this very core it cannot be, or we would not run.
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
  if (samplers_ != nullptr) {
    hal_.free(samplers_);
  }
  samplers_ = nullptr;
  sampler_count_ = 0;
}

}  // namespace wperf::driver
