// SPDX-License-Identifier: BSD-3-Clause
#include "tests/nthost/machine/gic.h"

#include "tests/nthost/machine/bare_machine.h"
#include "tests/nthost/machine/pages.h"
#include "tests/nthost/machine/register_access.h"

namespace wperf::nthost {
namespace {

constexpr u64 kDistributor = 0x0800'0000, kRedistributors = 0x080a'0000, kRedistributorSize = 0x2'0000;
constexpr u64 kControl = 0x0;
constexpr u64 kWaker = 0x14, kPrivateFrame = 0x1'0000, kGroup = 0x80, kEnable = 0x100, kPriorities = 0x400;
constexpr u32 kPrivateInterrupts =
    1u << kDispatchInterrupt | 1u << kProfileInterrupt | 1u << kClockInterrupt | 1u << kHeartbeatInterrupt;

volatile u32& at(u64 physical) {
  return *static_cast<volatile u32*>(direct(physical));
}
volatile u8& byte_at(u64 physical) {
  return *static_cast<volatile u8*>(direct(physical));
}

// A lower number is more urgent; QEMU keeps the upper five bits.
constexpr u32 priority_of_level(u32 irql) {
  return (15 - irql) << 4;
}

}  // namespace

void begin_distributor() {
  at(kDistributor + kControl) = 0x10;  // affinity routing, then group 1
  at(kDistributor + kControl) = 0x12;
}

void begin_cpu_interface() {
  const u64 mine = kRedistributors + current_cpu() * kRedistributorSize;
  at(mine + kWaker) = at(mine + kWaker) & ~2u;
  while ((at(mine + kWaker) & 4) != 0) asm volatile("yield");
  const u64 frame = mine + kPrivateFrame;
  at(frame + kGroup) = ~0u;
  byte_at(frame + kPriorities + kDispatchInterrupt) = static_cast<u8>(priority_of_level(2));
  byte_at(frame + kPriorities + kClockInterrupt) = static_cast<u8>(priority_of_level(13));
  byte_at(frame + kPriorities + kHeartbeatInterrupt) = static_cast<u8>(priority_of_level(15));
  byte_at(frame + kPriorities + kProfileInterrupt) = static_cast<u8>(priority_of_level(15));
  at(frame + kEnable) = kPrivateInterrupts;
  WPERF_WRITE_SYSREG("S3_0_C12_C12_5", 7);  // ICC_SRE_EL1
  instruction_barrier();
  set_priority_mask(15);
  WPERF_WRITE_SYSREG("S3_0_C12_C12_3", 0);  // ICC_BPR1_EL1: every bit takes part in preemption
  WPERF_WRITE_SYSREG("S3_0_C12_C12_7", 1);  // ICC_IGRPEN1_EL1
  instruction_barrier();
}

u32 acknowledge_interrupt() {
  return WPERF_READ_SYSREG("S3_0_C12_C12_0") & 0xff'ffff;
}

void end_interrupt(u32 which) {
  WPERF_WRITE_SYSREG("S3_0_C12_C12_1", which);
}

void send_dispatch_interrupt(u32 cpu) {
  asm volatile("dsb ish" : : : "memory");
  WPERF_WRITE_SYSREG("S3_0_C12_C11_5", static_cast<u64>(kDispatchInterrupt) << 24 | 1ull << cpu);  // ICC_SGI1R_EL1
  instruction_barrier();
}

void set_priority_mask(u32 irql) {
  WPERF_WRITE_SYSREG("S3_0_C4_C6_0", priority_of_level(irql));  // ICC_PMR_EL1
  instruction_barrier();
}

}  // namespace wperf::nthost
