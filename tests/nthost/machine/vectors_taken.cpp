// SPDX-License-Identifier: BSD-3-Clause
// Handles every exception to EL1 that vectors.S takes: interrupts are passed to kernel/interrupts.cpp, an svc ends work
// at EL0, and an exception in a guarded block of the driver continues in the block's handler. Any other exception ends
// the run with a report.
#include "tests/nthost/check.h"
#include "tests/nthost/driver_loader.h"
#include "tests/nthost/kernel/ex_pool.h"
#include "tests/nthost/kernel/interrupts.h"
#include "tests/nthost/kernel/irql.h"
#include "tests/nthost/kernel/process_object.h"
#include "tests/nthost/kernel/scheduler.h"
#include "tests/nthost/machine/pages.h"
#include "tests/nthost/machine/register_access.h"
#include "tests/nthost/trapped/trapped.h"

extern "C" {
void leave_el0();
void exception_taken(wperf::u64 kind, wperf::nthost::Frame* frame);
[[noreturn]] void stack_overflowed(wperf::u64 stack, wperf::u64 pc, wperf::u64 address, wperf::u64 lr);
extern const char image_text_begin[], image_text_end[];
}

namespace wperf::nthost {
namespace {

constexpr u64 kSvc = 0x15, kInstructionAbort = 0x20, kDataAbort = 0x24;  // at EL0
constexpr u64 kEl1WithStackMasked = 0x40'03c5;                           // EL1h, interrupts masked, PAN

const char* name_of_class(u64 exception_class) {
  switch (exception_class) {
    case 0x00:
      return "undefined instruction";
    case 0x0e:
      return "illegal execution state";
    case 0x15:
      return "svc";
    case 0x18:
      return "trapped system register";
    case 0x20:
      return "instruction abort at EL0";
    case 0x21:
      return "instruction abort";
    case 0x22:
      return "misaligned pc";
    case 0x24:
      return "data abort at EL0";
    case 0x25:
      return "data abort";
    case 0x26:
      return "misaligned sp";
    case 0x3c:
      return "brk";
    default:
      return "exception";
  }
}

void print_address(const char* what, u64 address) {
  const u64 offset = offset_in_image(address);
  if (offset != ~0ull) {
    print("  {} {x} = driver + {x} (its preferred address {x})", what, address, offset, preferred_address(offset));
  } else if (address >= reinterpret_cast<u64>(image_text_begin) && address < reinterpret_cast<u64>(image_text_end)) {
    print("  {} {x} in nthost.elf", what, address);
  } else {
    print("  {} {x}", what, address);
  }
}

// Prints the callers by frame records, which the host has, and also the driver (Windows keeps x29 chains too).
void print_callers(u64 frame_pointer) {
  for (u32 depth = 0; depth < 12; ++depth) {
    if ((frame_pointer & 7) != 0 || frame_pointer < kStackBase || !is_mapped(frame_pointer)) return;
    const u64* record = reinterpret_cast<const u64*>(frame_pointer);
    if (record[1] == 0) return;
    print_address("from", record[1]);
    if (record[0] <= frame_pointer) return;
    frame_pointer = record[0];
  }
}

[[noreturn]] void report(const Frame& frame, const char* kind) {
  const u64 esr = WPERF_READ_SYSREG("esr_el1");
  const u64 far = WPERF_READ_SYSREG("far_el1");
  print("crash: {}: {}", kind, name_of_class(esr >> 26));
  print("  core {}, {}, thread {}", current_cpu(), name_of_level(current_irql()), current_thread()->id);
  print("  esr {x} far {x} spsr {x} sp {x}", esr, far, frame.spsr, frame.sp);
  print_address("pc", frame.elr);
  print_address("lr", frame.x[30]);
  for (u32 i = 0; i < 28; i += 4) {
    print("  x{}: {x} {x} {x} {x}", i, frame.x[i], frame.x[i + 1], frame.x[i + 2], frame.x[i + 3]);
  }
  describe_pool_address(far);
  if (!from_el0(frame)) print_callers(frame.x[29]);
  give_up("{} at pc {x}", name_of_class(esr >> 26), frame.elr);
}

void end_work_at_el0(Frame& frame, u64 result) {
  frame.elr = reinterpret_cast<u64>(&leave_el0);
  frame.spsr = kEl1WithStackMasked;
  frame.x[0] = result;
}

void exception_of_program(Frame& frame) {
  const u64 esr = WPERF_READ_SYSREG("esr_el1");
  if (esr >> 26 == kSvc) {
    end_work_at_el0(frame, frame.x[0]);
    return;
  }
  const bool abort = esr >> 26 == kInstructionAbort || esr >> 26 == kDataAbort;
  if (abort && page_in(*current_thread()->process, WPERF_READ_SYSREG("far_el1"))) return;
  fail("a program at EL0 ended with {} at pc {x}, far {x}", name_of_class(esr >> 26), frame.elr,
       WPERF_READ_SYSREG("far_el1"));
  end_work_at_el0(frame, ~0ull);
}

void exception_of_kernel(Frame& frame) {
  // Simulated SPE registers come first. The driver's guards are only for registers that do not exist.
  const bool undefined = WPERF_READ_SYSREG("esr_el1") >> 26 == 0;
  if (undefined && is_mapped(frame.elr) && trapped_undefined(*reinterpret_cast<const u32*>(frame.elr), frame.x)) {
    frame.elr += 4;
    return;
  }
  const u64 handler = find_guarding_handler(frame.elr, frame.x[30]);
  if (handler != 0) {
    frame.elr = handler;
    return;
  }
  report(frame, "EL1");
}

}  // namespace
}  // namespace wperf::nthost

using namespace wperf::nthost;

void exception_taken(wperf::u64 kind, Frame* frame) {
  if ((kind & 3) == 1 && kind >= 4) {
    interrupt_arrived(*frame);
  } else if (kind == 8) {
    exception_of_program(*frame);
  } else if (kind == 4) {
    exception_of_kernel(*frame);
  } else {
    report(*frame, "an exception that cannot happen");
  }
}

void stack_overflowed(wperf::u64 stack, wperf::u64 pc, wperf::u64 address, wperf::u64 lr) {
  print("crash: the stack of thread {} is exhausted: sp {x}, far {x}", current_thread()->id, stack, address);
  print_address("pc", pc);
  print_address("lr", lr);
  give_up("stack overflow");
}
