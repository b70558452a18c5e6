// SPDX-License-Identifier: BSD-3-Clause
#include "driver/core/spe_profiler.h"

#include "base/raw_bytes.h"
#include "driver/core/single_writer_counter.h"
#include "driver/core/spe_registers.h"

namespace wperf::driver {
namespace {

void set_phase(SpeProfiler& profiler, SpePhase phase) {
  __atomic_store_n(&profiler.phase, static_cast<u32>(phase), __ATOMIC_RELAXED);
}

bool is_ready(const SpePingPongBuffer& half) {
  return __atomic_load_n(&half.ready, __ATOMIC_ACQUIRE) != 0;
}

SpeMemory memory_of(const SpePingPongBuffer& half, const SpePlan& plan) {
  const u64 begin = reinterpret_cast<u64>(half.bytes);
  return {begin, begin + plan.half_bytes};
}

SpeBank bank_of(const SpeProfiler& profiler, Hal& hal) {
  return {hal, profiler.filters_absent_events};
}

struct Verdict {
  u32 events = 0;
  bool fault = false;
};

// Event class 0 without "filled" occurs only with data loss. Any other code means that the buffer cannot be written.
Verdict judge(u64 pmbsr) {
  Verdict verdict;
  verdict.events |= (pmbsr & kPmbsrCollision) != 0 ? u32{WPERF_SPE_COLLISION} : 0;
  verdict.events |= (pmbsr & kPmbsrDataLoss) != 0 ? u32{WPERF_SPE_DATA_LOSS} : 0;
  if ((pmbsr & kPmbsrService) == 0) {
    return verdict;
  }
  const bool aborted = (pmbsr & kPmbsrExternalAbort) != 0;
  verdict.fault = aborted || event_class_of_pmbsr(pmbsr) != 0 || buffer_status_of_pmbsr(pmbsr) > 1;
  if (verdict.fault) {
    verdict.events |= u32{WPERF_SPE_FAULT} | (aborted ? u32{WPERF_SPE_EXTERNAL_ABORT} : 0);
  } else if (buffer_status_of_pmbsr(pmbsr) == 1) {
    verdict.events |= u32{WPERF_SPE_BUFFER_FULL};
  }
  return verdict;
}

void end_with(SpeProfiler& profiler, u64 pmbsr) {
  __atomic_store_n(&profiler.fault_status, pmbsr, __ATOMIC_RELAXED);
  set_phase(profiler, SpePhase::ended);
}

// Passes the half to the reader, unless it is empty and has no events; then the hardware gets it again.
void publish(SpeProfiler& profiler, u32 size, u32 events) {
  if (size == 0 && events == 0) {
    return;
  }
  SpePingPongBuffer& half = profiler.halves[profiler.writing];
  half.size = size;
  half.events = events;
  add_to(profiler.written, size);
  add_to(profiler.collisions, (events & WPERF_SPE_COLLISION) != 0 ? 1 : 0);
  add_to(profiler.data_losses, (events & WPERF_SPE_DATA_LOSS) != 0 ? 1 : 0);
  profiler.gap_next = profiler.gap_next || (events & WPERF_SPE_DATA_LOSS) != 0;
  __atomic_store_n(&half.ready, 1, __ATOMIC_RELEASE);
  profiler.writing ^= 1;
}

void leave_to_other_driver(SpeProfiler& profiler, SpeBank& bank) {
  end_with(profiler, bank.status());
  publish(profiler, 0, u32{WPERF_SPE_FAULT});
}

// While the profiling stood still, another driver may have begun to profile, or the core may have lost its registers.
// Returns false if the profiling of this core has ended.
bool take_up_again(SpeProfiler& profiler, const SpePlan& plan, Hal& hal) {
  SpeBank bank = bank_of(profiler, hal);
  add_to(profiler.stopped_ns, hal.time_ns() - value_of(profiler.stands_since));
  if (bank.in_use()) {
    leave_to_other_driver(profiler, bank);
    return false;
  }
  if (!bank.is_set_up(plan)) {
    bank.set_up(plan);
    add_to(profiler.data_losses, 1);  // the next bytes have a gap before them in any case
  }
  return true;
}

// Gives the hardware the next half if the reader has finished with it; otherwise the hardware waits.
void resume(SpeProfiler& profiler, const SpePlan& plan, Hal& hal) {
  SpePingPongBuffer& half = profiler.halves[profiler.writing];
  const bool stood = phase_of(profiler) == SpePhase::stalled;
  if (is_ready(half)) {
    if (!stood) {
      add_to(profiler.full, 1);
      __atomic_store_n(&profiler.stands_since, hal.time_ns(), __ATOMIC_RELAXED);
      profiler.gap_next = true;
      set_phase(profiler, SpePhase::stalled);
    }
    return;
  }
  if (stood && !take_up_again(profiler, plan, hal)) {
    return;
  }
  half.gap = half.gap | (profiler.gap_next ? 1u : 0u);
  profiler.gap_next = false;
  set_phase(profiler, SpePhase::profiling);
  bank_of(profiler, hal).run(plan, memory_of(half, plan));
}

// Stops the hardware and passes its bytes to the reader. Returns false if the profiling of this core has ended. `late`
// means that the hardware may have stopped some time ago.
bool finish(SpeProfiler& profiler, const SpePlan& plan, Hal& hal, bool late) {
  SpeBank bank = bank_of(profiler, hal);
  const SpeMemory memory = memory_of(profiler.halves[profiler.writing], plan);
  const u64 ours = memory.end | kPmblimitrEnable;
  const u64 limit = hal.read_register(Register::pmblimitr);
  if (limit != ours && (limit & kPmblimitrEnable) != 0) {
    leave_to_other_driver(profiler, bank);
    return false;
  }
  const bool stood_unseen = late && (bank.status() & kPmbsrService) != 0;
  const SpeStop stop = bank.stop();
  const u64 pmbsr = stop.pmbsr | profiler.left_by_interrupt;
  profiler.left_by_interrupt = 0;
  if (limit != ours) {  // the core has slept and lost its registers
    bank.set_up(plan);
    publish(profiler, 0, u32{WPERF_SPE_DATA_LOSS});
    return true;
  }
  Verdict verdict = judge(pmbsr);
  const bool inside = stop.written_to >= memory.begin && stop.written_to <= memory.end;
  verdict.fault = verdict.fault || !inside;
  if (verdict.fault) {
    end_with(profiler, pmbsr);
    verdict.events |= u32{WPERF_SPE_FAULT};
  }
  profiler.gap_next = profiler.gap_next || stood_unseen;
  publish(profiler, inside ? static_cast<u32>(stop.written_to - memory.begin) : 0, verdict.events);
  return !verdict.fault;
}

// Does work that the interrupt also does and that must not run twice at once. If the interrupt comes in the meantime,
// this function does the interrupt's work at the end.
template <typename Work>
void inside(SpeProfiler& profiler, const SpePlan& plan, Hal& hal, Work work) {
  __atomic_store_n(&profiler.inside, 1, __ATOMIC_RELAXED);
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
  work();
  for (;;) {
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    __atomic_store_n(&profiler.inside, 0, __ATOMIC_RELAXED);
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    if (profiler.left_by_interrupt == 0) {
      return;
    }
    __atomic_store_n(&profiler.inside, 1, __ATOMIC_RELAXED);
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    if (phase_of(profiler) != SpePhase::profiling) {
      profiler.left_by_interrupt = 0;
    } else if (finish(profiler, plan, hal, false)) {
      resume(profiler, plan, hal);
    }
  }
}

bool is_half_full(const SpeProfiler& profiler, const SpePlan& plan, Hal& hal) {
  const SpeMemory memory = memory_of(profiler.halves[profiler.writing], plan);
  return bank_of(profiler, hal).written_to() - memory.begin >= plan.half_bytes / 2;
}

bool wants_change(const SpeProfiler& profiler, const SpePlan& plan, Hal& hal, SpeLook look) {
  if (look == SpeLook::drain) {
    return true;
  }
  const u64 limit = hal.read_register(Register::pmblimitr);
  if (limit != (memory_of(profiler.halves[profiler.writing], plan).end | kPmblimitrEnable)) {
    return true;
  }
  const bool stopped = (bank_of(profiler, hal).status() & kPmbsrService) != 0;
  return stopped || (!is_ready(profiler.halves[profiler.writing ^ 1]) && is_half_full(profiler, plan, hal));
}

}  // namespace

WperfStatus start_profiler(SpeProfiler& profiler, const SpePlan& plan, Hal& hal) {
  SpeBank bank = bank_of(profiler, hal);
  if (bank.in_use()) {
    return WPERF_PROFILING_BUSY;
  }
  inside(profiler, plan, hal, [&] {
    bank.claim(profiler.found);
    profiler.claimed = true;
    profiler.left_by_interrupt = 0;
    __atomic_store_n(&profiler.abandoned, 0, __ATOMIC_RELAXED);
    set_phase(profiler, SpePhase::idle);
    bank.set_up(plan);
    resume(profiler, plan, hal);
  });
  return WPERF_OK;
}

void look_at_profiler(SpeProfiler& profiler, const SpePlan& plan, Hal& hal, SpeLook look) {
  inside(profiler, plan, hal, [&] {
    const SpePhase phase = phase_of(profiler);
    if (phase == SpePhase::profiling && wants_change(profiler, plan, hal, look)) {
      if (!finish(profiler, plan, hal, true)) {
        return;
      }
    } else if (phase != SpePhase::stalled) {
      return;
    }
    resume(profiler, plan, hal);
  });
}

void stop_profiler(SpeProfiler& profiler, const SpePlan& plan, Hal& hal) {
  inside(profiler, plan, hal, [&] {
    SpeBank bank = bank_of(profiler, hal);
    const SpePhase phase = phase_of(profiler);
    if (phase == SpePhase::profiling) {
      static_cast<void>(finish(profiler, plan, hal, false));
    } else if (phase == SpePhase::stalled) {
      add_to(profiler.stopped_ns, hal.time_ns() - value_of(profiler.stands_since));
    }
    set_phase(profiler, SpePhase::idle);
    profiler.gap_next = true;
    if (!bank.in_use()) {  // another driver may have taken it by now
      bank.give_back(profiler.found);
    }
    profiler.claimed = false;
  });
}

bool take_profiling_interrupt(SpeProfiler& profiler, const SpePlan& plan, Hal& hal) {
  SpeBank bank = bank_of(profiler, hal);
  if (phase_of(profiler) != SpePhase::profiling || (bank.status() & kPmbsrService) == 0) {
    return false;
  }
  if (__atomic_load_n(&profiler.inside, __ATOMIC_RELAXED) != 0) {
    profiler.left_by_interrupt |= bank.silence();
  } else if (finish(profiler, plan, hal, false)) {
    if (__atomic_load_n(&profiler.abandoned, __ATOMIC_RELAXED) == 0) {
      resume(profiler, plan, hal);
    } else {
      set_phase(profiler, SpePhase::idle);
    }
  }
  return true;
}

void end_profiler_from_afar(SpeProfiler& profiler) {
  __atomic_store_n(&profiler.abandoned, 1, __ATOMIC_RELAXED);
}

SpePhase phase_of(const SpeProfiler& profiler) {
  return static_cast<SpePhase>(__atomic_load_n(&profiler.phase, __ATOMIC_RELAXED));
}

bool has_bytes(const SpeProfiler& profiler) {
  return is_ready(profiler.halves[profiler.reading]);
}

void take_bytes(SpeProfiler& profiler, u64 now_ns, WperfSpeDrainReply& reply) {
  reply.core = profiler.core;
  // Takes the bytes of at most one half, because the halves are not contiguous in memory, and records may be missing
  // between them.
  while (reply.bytes == 0 && has_bytes(profiler)) {
    SpePingPongBuffer& half = profiler.halves[profiler.reading];
    const u32 left = half.size - profiler.read;
    reply.bytes = left < WPERF_SPE_MAX_DRAINED ? left : u32{WPERF_SPE_MAX_DRAINED};
    copy_bytes(reply.data, half.bytes + profiler.read, reply.bytes);
    reply.buffer_address = (reinterpret_cast<u64>(half.bytes) + profiler.read) % WPERF_SPE_MAX_DRAINED;
    reply.events |= profiler.read == 0 && half.gap != 0 ? u32{WPERF_SPE_GAP} : 0;
    profiler.read += reply.bytes;
    if (profiler.read == half.size) {
      reply.events |= half.events;
      half.gap = 0;
      profiler.read = 0;
      profiler.reading ^= 1;
      __atomic_store_n(&half.ready, 0, __ATOMIC_RELEASE);
    }
  }
  reply.more = has_bytes(profiler) ? 1 : 0;
  reply.written = value_of(profiler.written);
  reply.full = value_of(profiler.full);
  reply.stopped_ns = value_of(profiler.stopped_ns);
  const u64 since = value_of(profiler.stands_since);
  if (phase_of(profiler) == SpePhase::stalled && now_ns > since) {  // the core may have begun only now
    reply.stopped_ns += now_ns - since;
  }
  reply.collisions = value_of(profiler.collisions);
  reply.data_losses = value_of(profiler.data_losses);
  reply.status = value_of(profiler.fault_status);
}

}  // namespace wperf::driver
