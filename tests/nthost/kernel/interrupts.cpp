// SPDX-License-Identifier: BSD-3-Clause
#include "tests/nthost/kernel/interrupts.h"

#include "tests/nthost/check.h"
#include "tests/nthost/kernel/irql.h"
#include "tests/nthost/kernel/ke_apc.h"
#include "tests/nthost/kernel/ke_dpc.h"
#include "tests/nthost/kernel/ke_timer.h"
#include "tests/nthost/kernel/scheduler.h"
#include "tests/nthost/machine/bare_machine.h"
#include "tests/nthost/machine/gic.h"
#include "tests/nthost/machine/machine_threads.h"
#include "tests/nthost/trapped/trapped.h"

extern "C" void leave_el0();

namespace wperf::nthost {
namespace {

constexpr u64 kEl1WithStackMasked = 0x40'03c5;  // EL1h, interrupts masked, PAN

ProfileHandler handler = nullptr;
u64 without_handler = 0;
u64 heartbeat_ticks[kMostCpus] = {};

u32 level_of(u32 interrupt) {
  switch (interrupt) {
    case kDispatchInterrupt:
      return kDispatch;
    case kProfileInterrupt:
      return kProfile;
    case kHeartbeatInterrupt:
      return kHigh;  // if the heartbeat reveals an overflow, the overflow interrupt comes when the program continues
    case kClockInterrupt:
      return kClock;
    default:
      give_up("interrupt {} arrived; nobody enabled it", interrupt);
  }
}

// Fills in the KTRAP_FRAME for the driver's handler. It does not contain registers x19 to x28.
void fill_trap_frame(KTRAP_FRAME& trap, const Frame& frame) {
  __builtin_memset(&trap, 0, sizeof trap);
  for (u32 i = 0; i < 19; ++i) trap.X[i] = frame.x[i];
  trap.Fp = frame.x[29];
  trap.Lr = frame.x[30];
  trap.Pc = frame.elr;
  trap.Sp = frame.sp;
  trap.Spsr = static_cast<ULONG>(frame.spsr);
}

void profile_interrupt(Cpu& cpu, const Frame& frame) {
  ++cpu.profile_interrupts;
  const ProfileHandler call = __atomic_load_n(&handler, __ATOMIC_ACQUIRE);
  if (call == nullptr) {  // Windows' own handler would clear flags it does not know
    __atomic_fetch_add(&without_handler, 1, __ATOMIC_RELAXED);
    WPERF_WRITE_SYSREG("pmintenclr_el1", ~0u);
    WPERF_WRITE_SYSREG("pmovsclr_el0", ~0u);
    instruction_barrier();
    return;
  }
  KTRAP_FRAME trap;
  fill_trap_frame(trap, frame);
  call(&trap);
  if (current_irql() != kProfile) fail("the profile interrupt's handler returned at {}", name_of_level(current_irql()));
}

void handle(Cpu& cpu, u32 interrupt, const Frame& frame) {
  switch (interrupt) {
    case kDispatchInterrupt:
      run_expired_timers(cpu);
      run_queued_dpcs(cpu);
      break;
    case kClockInterrupt:
      WPERF_WRITE_SYSREG("cntv_ctl_el0", 0);  // the interrupt at DISPATCH_LEVEL sets it again
      instruction_barrier();
      send_dispatch_interrupt(cpu.index);
      break;
    case kHeartbeatInterrupt:
      trapped_heartbeat();
      rearm_heartbeat();
      break;
    case kProfileInterrupt:
      profile_interrupt(cpu, frame);
      break;
    default:
      break;
  }
}

}  // namespace

void interrupt_arrived(Frame& frame) {
  Cpu& cpu = this_cpu();
  const u32 interrupt = acknowledge_interrupt();
  if (interrupt >= kNoInterrupt) return;
  const u32 before = cpu.irql;
  const u32 level = level_of(interrupt);
  if (level <= before) give_up("interrupt {} arrived at IRQL {}", interrupt, before);
  set_irql(level);
  end_interrupt(interrupt);  // the mask blocks this interrupt and all lower ones
  asm volatile("msr daifclr, #2" : : : "memory");
  handle(cpu, interrupt, frame);
  mask_interrupts();
  if (level == kDispatch && wants_another_thread(cpu)) switch_away();
  // Decided before its APCs are delivered: a thread that ends runs them down.
  const bool ends = from_el0(frame) && cpu.current->stop_requested;
  if (before == kPassive && !ends) deliver_apcs();
  if (from_el0(frame) && cpu.current->stop_requested) {
    frame.elr = reinterpret_cast<u64>(&leave_el0);
    frame.spsr = kEl1WithStackMasked;
    frame.x[0] = 0;
  }
  set_irql(before);
}

void set_profile_handler(ProfileHandler to) {
  __atomic_store_n(&handler, to, __ATOMIC_RELEASE);
}
ProfileHandler profile_handler() {
  return __atomic_load_n(&handler, __ATOMIC_ACQUIRE);
}
u64 profile_interrupts_without_handler() {
  return __atomic_load_n(&without_handler, __ATOMIC_RELAXED);
}

void rearm_heartbeat() {
  const u64 ticks = __atomic_load_n(&heartbeat_ticks[this_cpu().index], __ATOMIC_RELAXED);
  if (ticks == 0) {
    WPERF_WRITE_SYSREG("cntp_ctl_el0", 0);
  } else {
    WPERF_WRITE_SYSREG("cntp_tval_el0", ticks);
    WPERF_WRITE_SYSREG("cntp_ctl_el0", 1);
  }
  instruction_barrier();
}

void set_heartbeat(u64 nanoseconds, u64 core_mask) {
  const u64 ticks = nanoseconds * ticks_per_second() / 1'000'000'000;
  for (u32 cpu = 0; cpu < cpu_count(); ++cpu) {
    const bool wanted = (core_mask >> cpu & 1) != 0 && nanoseconds != 0;
    __atomic_store_n(&heartbeat_ticks[cpu], !wanted ? 0 : ticks != 0 ? ticks : 1, __ATOMIC_RELAXED);
    run_on_cpu(cpu, [](void*) { rearm_heartbeat(); }, nullptr);
  }
}

void set_usual_heartbeat() {
  set_heartbeat(under_icount() ? 50'000 : 0);
}

}  // namespace wperf::nthost
