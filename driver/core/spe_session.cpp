// SPDX-License-Identifier: BSD-3-Clause
#include "driver/core/spe_session.h"

#include "driver/core/core_mask.h"
#include "driver/core/critical.h"
#include "driver/core/on_core.h"
#include "driver/core/spe_registers.h"

namespace wperf::driver {

WperfStatus SpeSession::check(const WperfSpeRequest& request, const HardwareFacts& machine) {
  if (profiling_) {
    return WPERF_WRONG_STATE;
  }
  if (const WperfStatus status = check_spe_request(request, machine.core_count); status != WPERF_OK) {
    return status;
  }
  if (const WperfStatus status = settle(); status != WPERF_OK) {
    return status;
  }
  return check_cores(request, machine.core_count);
}

WperfStatus SpeSession::configure(const WperfSpeRequest& request, const HardwareFacts& machine) {
  {
    const Critical critical(hal_);
    release_memory();
  }
  SpeProfiler* fresh = nullptr;
  if (const WperfStatus status = allocate_profilers(request, machine, fresh); status != WPERF_OK) {
    return status;
  }
  const Critical critical(hal_);
  plan_ = plan_of(request);
  profilers_ = fresh;
  profiler_count_ = count_cores(request.core_mask);
  configured_ = true;
  return WPERF_OK;
}

WperfStatus SpeSession::check_cores(const WperfSpeRequest& request, u32 core_count) {
  for (u32 core = 0; core < core_count; ++core) {
    if (has_core(request.core_mask, core)) {
      if (const WperfStatus status = check_core(request, core); status != WPERF_OK) {
        return status;
      }
    }
  }
  return WPERF_OK;
}

WperfStatus SpeSession::check_core(const WperfSpeRequest& request, u32 core) {
  CoreIdentity identity;
  if (const WperfStatus status = read_spe_identity(hal_, core, identity); status != WPERF_OK) {
    return status;
  }
  const SpeAbilities abilities = spe_abilities(identity);
  if (const WperfStatus status = check_spe_core(request, abilities); status != WPERF_OK) {
    return status;
  }
  const u64 events = request.events | request.not_events;
  if (events == 0) {
    return WPERF_OK;
  }
  WperfStatus result = WPERF_OK;
  auto ask = [&] {
    SpeBank bank(hal_, abilities.filters_absent_events);
    if (bank.in_use()) {
      result = WPERF_PROFILING_BUSY;
    } else if ((events & ~bank.filterable_events()) != 0) {
      result = WPERF_NOT_SUPPORTED;
    }
  };
  const WperfStatus reached = run_on(hal_, core, ask);
  return reached != WPERF_OK ? reached : result;
}

WperfStatus SpeSession::allocate_profilers(const WperfSpeRequest& request, const HardwareFacts& machine,
                                           SpeProfiler*& profilers) {
  const u32 half = plan_of(request).half_bytes;
  profilers = static_cast<SpeProfiler*>(hal_.allocate(count_cores(request.core_mask) * sizeof(SpeProfiler)));
  if (profilers == nullptr) {
    return WPERF_NO_MEMORY;
  }
  u32 count = 0;
  for (u32 core = 0; core < machine.core_count; ++core) {
    if (!has_core(request.core_mask, core)) {
      continue;
    }
    u8* buffer = static_cast<u8*>(hal_.allocate(2 * usize{half}));
    if (buffer == nullptr) {
      free_profilers(profilers, count);
      return WPERF_NO_MEMORY;
    }
    SpeProfiler& profiler = profilers[count++];
    profiler.core = core;
    profiler.halves[0].bytes = buffer;
    profiler.halves[1].bytes = buffer + half;
    if (reinterpret_cast<u64>(buffer) % kSpePage != 0) {  // the shell violated its contract
      free_profilers(profilers, count);
      return WPERF_HARDWARE_FAILED;
    }
  }
  return WPERF_OK;
}

WperfStatus SpeSession::start() {
  if (!configured_ || profiling_) {
    return WPERF_WRONG_STATE;
  }
  {
    const Critical critical(hal_);
    if (const WperfStatus status = start_all(); status != WPERF_OK) {
      return status;
    }
    profiling_ = true;
  }
  const WperfStatus status = timer_.start(TimerUser::profiling, kSpeTickMs);
  if (status != WPERF_OK) {
    const Critical critical(hal_);
    profiling_ = false;
    static_cast<void>(stop_all());
  }
  return status;
}

WperfStatus SpeSession::start_all() {
  if (const WperfStatus status = stop_all(); status != WPERF_OK) {
    return status;
  }
  for (u32 i = 0; i < profiler_count_; ++i) {
    if (const WperfStatus status = start_one(profilers_[i]); status != WPERF_OK) {
      static_cast<void>(stop_all());
      return status;
    }
  }
  return WPERF_OK;
}

WperfStatus SpeSession::start_one(SpeProfiler& profiler) {
  WperfStatus result = WPERF_OK;
  auto work = [&] {
    const u64 version = hal_.read_register(Register::id_aa64dfr0);
    const u64 pmsidr = hal_.read_register(Register::pmsidr);
    profiler.filters_absent_events = spe_abilities({0, version, 0, 0, pmsidr, 0, 0, false}).filters_absent_events;
    __atomic_store_n(&gates_[profiler.core], &profiler, __ATOMIC_RELEASE);
    result = start_profiler(profiler, plan_, hal_);
    if (result != WPERF_OK) {
      __atomic_store_n(&gates_[profiler.core], static_cast<SpeProfiler*>(nullptr), __ATOMIC_RELEASE);
    }
  };
  const WperfStatus reached = run_on(hal_, profiler.core, work);
  return reached != WPERF_OK ? reached : result;
}

WperfStatus SpeSession::stop() {
  if (!profiling_) {
    return WPERF_WRONG_STATE;
  }
  timer_.stop(TimerUser::profiling);
  const Critical critical(hal_);
  profiling_ = false;
  return stop_all();
}

WperfStatus SpeSession::stop_one(SpeProfiler& profiler) {
  auto work = [&] {
    stop_profiler(profiler, plan_, hal_);
    __atomic_store_n(&gates_[profiler.core], static_cast<SpeProfiler*>(nullptr), __ATOMIC_RELEASE);
  };
  return run_on(hal_, profiler.core, work);
}

WperfStatus SpeSession::stop_all() {
  WperfStatus result = WPERF_OK;
  for (u32 i = 0; i < profiler_count_; ++i) {
    if (profilers_[i].claimed) {
      if (const WperfStatus status = stop_one(profilers_[i]); status != WPERF_OK) {
        end_profiler_from_afar(profilers_[i]);
        result = status;
      }
    }
  }
  return result;
}

WperfStatus SpeSession::look_at(SpeProfiler& profiler, SpeLook look) {
  auto work = [&] { look_at_profiler(profiler, plan_, hal_, look); };
  return run_on(hal_, profiler.core, work);
}

WperfStatus SpeSession::drain(const WperfDrainRequest& request, WperfSpeDrainReply& reply) {
  if (!configured_) {
    return WPERF_WRONG_STATE;
  }
  const Critical critical(hal_);
  SpeProfiler* profiler = find(request.core);
  if (profiler == nullptr || request.reserved != 0) {
    return WPERF_BAD_ARGUMENT;
  }
  if (profiling_ && !has_bytes(*profiler) && phase_of(*profiler) != SpePhase::ended) {
    if (const WperfStatus status = look_at(*profiler, SpeLook::drain); status != WPERF_OK) {
      return status;
    }
  }
  take_bytes(*profiler, hal_.time_ns(), reply);
  if (profiling_ && phase_of(*profiler) == SpePhase::stalled) {
    static_cast<void>(look_at(*profiler, SpeLook::tick));  // if it fails now, the next tick tries again
  }
  return WPERF_OK;
}

WperfStatus SpeSession::settle() {
  const Critical critical(hal_);
  return stop_all();
}

void SpeSession::discard() {
  if (profiling_) {
    timer_.stop(TimerUser::profiling);
  }
  const Critical critical(hal_);
  profiling_ = false;
  configured_ = false;
  if (stop_all() == WPERF_OK || stop_all() == WPERF_OK) {
    release_memory();
  }
}

// Every core has been stopped.
void SpeSession::release_memory() {
  free_profilers(profilers_, profiler_count_);
  profilers_ = nullptr;
  profiler_count_ = 0;
  configured_ = false;
}

void SpeSession::tick() {
  const Critical critical(hal_);
  for (u32 i = 0; profiling_ && i < profiler_count_; ++i) {
    if (phase_of(profilers_[i]) != SpePhase::ended) {
      // a core that cannot be reached now waits for the next tick
      static_cast<void>(look_at(profilers_[i], SpeLook::tick));
    }
  }
}

bool SpeSession::on_interrupt(u32 core) {
  if (core >= WPERF_MAX_CORES) {
    return false;
  }
  SpeProfiler* profiler = __atomic_load_n(&gates_[core], __ATOMIC_ACQUIRE);
  return profiler != nullptr && take_profiling_interrupt(*profiler, plan_, hal_);
}

void SpeSession::free_profilers(SpeProfiler* profilers, u32 count) {
  for (u32 i = 0; i < count; ++i) {
    hal_.free(profilers[i].halves[0].bytes);
  }
  if (profilers != nullptr) {
    hal_.free(profilers);
  }
}

SpeProfiler* SpeSession::find(u32 core) {
  for (u32 i = 0; i < profiler_count_; ++i) {
    if (profilers_[i].core == core) {
      return &profilers_[i];
    }
  }
  return nullptr;
}

}  // namespace wperf::driver
