// SPDX-License-Identifier: BSD-3-Clause
#include "driver/nt/overflow_interrupt.h"

#include "abi/wire.h"
#include "base/bits.h"
#include "driver/arm64/registers.h"
#include "driver/nt/per_core.h"
#include "driver/nt/registry.h"
#include "driver/nt/stack_routines.h"

namespace wperf::driver {
namespace {

using InterruptHandler = void (*)(KTRAP_FRAME* frame);

const OverflowTaker* connected;  // atomic
bool registered;
bool refused;  // the most recent request was refused

u32 number_of(HANDLE id) {  // the number of a process or thread
  return static_cast<u32>(reinterpret_cast<ULONG_PTR>(id));
}

u64 pending_overflows() {
  return read_system_register(Register::pmovsclr) & read_system_register(Register::pmintenset);
}

constexpr u32 kThirtyTwoBits = 16;  // SPSR_EL1.M[4]: a 32-bit program, whose x29 is not a frame pointer

InterruptedContext interrupted_by(const KTRAP_FRAME& frame) {
  InterruptedContext interrupted = {
      .pc = frame.Pc,
      .lr = frame.Lr,
      .process = number_of(PsGetCurrentProcessId()),
      .thread = number_of(PsGetCurrentThreadId()),
      .exception_level = static_cast<u32>(bit_field(frame.Spsr, 2, 2)),  // SPSR_EL1.M[3:2]
      .fp = (frame.Spsr & kThirtyTwoBits) != 0 ? 0 : frame.Fp,
      .sp = frame.Sp,
      .process_start = static_cast<u64>(PsGetProcessCreateTimeQuadPart(IoGetCurrentProcess())),
  };
  if (interrupted.exception_level != 0) {
    const StackRange stack = kernel_stack_above(frame.Sp);
    interrupted.kernel_stack_low = stack.low;
    interrupted.kernel_stack_high = stack.high;
  }
  return interrupted;
}

// Called above DISPATCH_LEVEL, on the core whose counters overflowed. The interrupt stays raised while a flag is set.
// So while this handler is registered, it also clears the flags of counters that have no owner; otherwise the interrupt
// would be raised again for ever.
void on_interrupt(KTRAP_FRAME* frame) {
  const u64 pending = pending_overflows();
  u64 ours = 0;
  if (const OverflowTaker* taker = __atomic_load_n(&connected, __ATOMIC_ACQUIRE); taker != nullptr) {
    ours = taker->take(taker->core, KeGetCurrentProcessorNumberEx(nullptr), interrupted_by(*frame));
  }
  if (const u64 foreign = pending & ~ours; foreign != 0) {
    write_system_register(Register::pmovsclr, foreign);
    instruction_barrier();
  }
}

NTSTATUS set_handler(InterruptHandler handler) {
  return HalSetSystemInformation(HalProfileSourceInterruptHandler, sizeof handler, &handler);
}

}  // namespace

u32 overflow_interrupt_state() {
  if (registered) {
    return WPERF_INTERRUPT_HELD;
  }
  const bool before = interrupt_was_held();  // connected by an image of this driver that has been unloaded
  if (refused) {
    return before ? WPERF_INTERRUPT_NOT_GIVEN_AGAIN : WPERF_INTERRUPT_REFUSED;
  }
  return before ? WPERF_INTERRUPT_MAYBE_NOT_AGAIN : WPERF_INTERRUPT_NOT_ASKED;
}

NTSTATUS connect_overflow_interrupt(const OverflowTaker& taker) {
  if (!registered) {
    const NTSTATUS status = set_handler(on_interrupt);
    refused = !NT_SUCCESS(status);
    if (refused) {
      return status;
    }
    registered = true;
    note_interrupt_held();
  }
  __atomic_store_n(&connected, &taker, __ATOMIC_RELEASE);
  return STATUS_SUCCESS;
}

void disconnect_overflow_interrupt() {
  if (__atomic_exchange_n(&connected, static_cast<const OverflowTaker*>(nullptr), __ATOMIC_ACQ_REL) != nullptr) {
    wait_for_interrupts_to_end();
  }
}

void give_overflow_interrupt_back(DRIVER_OBJECT* driver) {
  if (!registered) {
    return;
  }
  registered = false;
  if (!NT_SUCCESS(set_handler(nullptr))) {
    // The reference is never released, because code that may still be called must stay in memory.
    static_cast<void>(ObReferenceObject(driver));
  }
  wait_for_interrupts_to_end();
}

}  // namespace wperf::driver
