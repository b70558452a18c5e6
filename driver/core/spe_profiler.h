// SPDX-License-Identifier: BSD-3-Clause
// Statistical profiling on one core: lets the hardware write into one half of the core's buffer while the other one is
// read. start, look, resume and stop run on the core. take_profiling_interrupt is the interrupt of the core's buffer,
// which may come in the middle of these calls. take_bytes runs anywhere. Only start waits, allocates or can fail.
#pragma once
#include "abi/status.h"
#include "abi/wire.h"
#include "base/ints.h"
#include "driver/core/spe_bank.h"
#include "driver/core/spe_request.h"
#include "driver/hal.h"

namespace wperf::driver {

// A half belongs to the hardware until it is ready, then to the reader until it is free again: one producer, one
// consumer, no lock.
struct SpePingPongBuffer {
  u8* bytes;
  u32 ready;  // atomic; the fields below are written before it is set
  u32 size;   // size of the written part
  u32 gap;    // records before it are missing
  u32 events;
};

enum class SpePhase : u32 {
  idle,
  profiling,
  stalled,  // both halves wait for the reader
  ended,    // by a fault, or because another driver took the unit over
};

// Lives in zeroed memory of Hal::allocate; every field is valid when zeroed.
struct SpeProfiler {
  u32 core;
  bool claimed;  // the hardware belongs to this session: registers must be restored, and the buffer's memory may be
                 // written
  bool filters_absent_events;
  u32 abandoned;  // atomic; set from elsewhere when the core could not be reached to stop it
  SpeRegisters found;
  SpePingPongBuffer halves[2];

  // Used only on the core.
  u32 inside;             // set during one of the calls, so that the interrupt leaves its work to that call
  u64 left_by_interrupt;  // PMBSR at that interrupt
  u32 writing;            // the half that the hardware has or gets next
  bool gap_next;

  // Written on the core, read from elsewhere: atomic.
  u32 phase;  // a SpePhase
  u64 written, full, stopped_ns, stands_since, collisions, data_losses, fault_status;

  // Used by the reader.
  u32 reading;
  u32 read;  // bytes of that half
};

enum class SpeLook : u32 {
  tick,   // swaps the halves if the hardware has stopped or is about to
  drain,  // swaps the halves
};

// Runs on its core. Returns busy, and changes nothing, if another driver profiles there.
[[nodiscard]] WperfStatus start_profiler(SpeProfiler& profiler, const SpePlan& plan, Hal& hal);
void look_at_profiler(SpeProfiler& profiler, const SpePlan& plan, Hal& hal, SpeLook look);
void stop_profiler(SpeProfiler& profiler, const SpePlan& plan, Hal& hal);

// Returns true if the interrupt belonged to this driver.
bool take_profiling_interrupt(SpeProfiler& profiler, const SpePlan& plan, Hal& hal);

// For a core that cannot be reached: its next interrupt ends the profiling there. May be called on any core.
void end_profiler_from_afar(SpeProfiler& profiler);

SpePhase phase_of(const SpeProfiler& profiler);
bool has_bytes(const SpeProfiler& profiler);
// Returns the oldest bytes and discards them. `reply` must be zeroed; its header is not changed.
void take_bytes(SpeProfiler& profiler, u64 now_ns, WperfSpeDrainReply& reply);

}  // namespace wperf::driver
