// SPDX-License-Identifier: BSD-3-Clause
// Exceptions to EL1, thread switches, and entry to EL0 and return from it.

#include "tests/nthost/machine/saved_registers.inc"

#define FRAME_SIZE 272
#define STACK_SIZE_LOG2 15  // a stack fills the lower half of a slot of twice its size; the upper half is not mapped

.text
.macro VECTOR kind
  .balign 128
  sub sp, sp, #FRAME_SIZE
  // If the stack pointer has left its stack, its bit STACK_SIZE_LOG2 is set. The check needs no free register.
  add sp, sp, x0
  sub x0, sp, x0
  tbnz x0, #STACK_SIZE_LOG2, 1f
  sub x0, sp, x0
  sub sp, sp, x0
  stp x0, x1, [sp]
  mov x0, #\kind
  b save_frame
1:
  sub x0, sp, x0
  sub sp, sp, x0
  b stack_overflow
.endm

.balign 2048
.globl exception_vectors
exception_vectors:
  VECTOR 0
  VECTOR 1
  VECTOR 2
  VECTOR 3
  VECTOR 4
  VECTOR 5
  VECTOR 6
  VECTOR 7
  VECTOR 8
  VECTOR 9
  VECTOR 10
  VECTOR 11
  VECTOR 12
  VECTOR 13
  VECTOR 14
  VECTOR 15

stack_overflow:
  msr tpidrro_el0, x0
  add x0, sp, #FRAME_SIZE
  msr tpidr_el0, x0  // the stack pointer as it was
  mrs x0, tpidr_el1
  ldr x0, [x0]       // Cpu::emergency_stack
  mov sp, x0
  mrs x0, tpidr_el0
  mrs x1, elr_el1
  mrs x2, far_el1
  mov x3, x30
  bl stack_overflowed
  b .

save_frame:
  SAVE_X2_TO_X29
  mrs x2, elr_el1
  mrs x3, spsr_el1
  stp x30, x2, [sp, #240]
  mrs x4, sp_el0
  add x5, sp, #FRAME_SIZE
  tst x3, #0xf
  csel x4, x4, x5, eq
  stp x3, x4, [sp, #256]
  mov x1, sp
  bl exception_taken

restore_frame:
  ldp x30, x2, [sp, #240]
  ldp x3, x4, [sp, #256]
  msr elr_el1, x2
  msr spsr_el1, x3
  tst x3, #0xf
  b.ne 1f
  msr sp_el0, x4
1:
  LOAD_X2_TO_X29
  ldp x0, x1, [sp]
  add sp, sp, #FRAME_SIZE
  eret

// switch_stacks(u64* save_here, u64 from_here): saves callee-saved registers on the old stack and loads them from the
// new stack.
.globl switch_stacks
switch_stacks:
  PUSH_PRESERVED
  mov x2, sp
  str x2, [x0]
  mov sp, x1
  POP_PRESERVED
  ret

// The first switch to a new thread returns to this code.
.globl thread_begins
thread_begins:
  bl thread_started
  b .

// u64 enter_el0(entry, argument, stack, return_to): returns what leave_el0 gives. Interrupts are masked here and
// enabled at EL0; at EL0, all registers except the arguments are zero.
.globl enter_el0
enter_el0:
  PUSH_PRESERVED
  msr daifset, #2
  msr elr_el1, x0
  msr sp_el0, x2
  msr spsr_el1, xzr
  mov x0, x1
  mov x30, x3
  isb
  mov x1, xzr
  mov x2, xzr
  mov x3, xzr
  mov x4, xzr
  mov x5, xzr
  mov x6, xzr
  mov x7, xzr
  mov x8, xzr
  mov x9, xzr
  mov x10, xzr
  mov x11, xzr
  mov x12, xzr
  mov x13, xzr
  mov x14, xzr
  mov x15, xzr
  mov x16, xzr
  mov x17, xzr
  mov x18, xzr
  mov x19, xzr
  mov x20, xzr
  mov x21, xzr
  mov x22, xzr
  mov x23, xzr
  mov x24, xzr
  mov x25, xzr
  mov x26, xzr
  mov x27, xzr
  mov x28, xzr
  mov x29, xzr
  eret

// The exception handler puts this into a frame from EL0, with EL1's mode and masked interrupts; x0 is the result. The
// stack is then where enter_el0 left it.
.globl leave_el0
leave_el0:
  POP_PRESERVED
  ret

// u64 semihosting_call(operation, argument)
.globl semihosting_call
semihosting_call:
  hlt #0xf000
  ret

// u64 psci_by_hvc, psci_by_smc(function, target, entry, context). smc is for QEMU that emulates EL2.
.globl psci_by_hvc
psci_by_hvc:
  hvc #0
  ret
.globl psci_by_smc
psci_by_smc:
  smc #0
  ret

// The registers that only programs at EL0 use: save_vectors(void* to), load_vectors(const void* from), 528 bytes.
.globl save_vectors
save_vectors:
  stp q0, q1, [x0]
  stp q2, q3, [x0, #32]
  stp q4, q5, [x0, #64]
  stp q6, q7, [x0, #96]
  stp q8, q9, [x0, #128]
  stp q10, q11, [x0, #160]
  stp q12, q13, [x0, #192]
  stp q14, q15, [x0, #224]
  stp q16, q17, [x0, #256]
  stp q18, q19, [x0, #288]
  stp q20, q21, [x0, #320]
  stp q22, q23, [x0, #352]
  stp q24, q25, [x0, #384]
  stp q26, q27, [x0, #416]
  stp q28, q29, [x0, #448]
  stp q30, q31, [x0, #480]
  mrs x1, fpcr
  mrs x2, fpsr
  str x1, [x0, #512]
  str x2, [x0, #520]
  ret
.globl load_vectors
load_vectors:
  ldp q0, q1, [x0]
  ldp q2, q3, [x0, #32]
  ldp q4, q5, [x0, #64]
  ldp q6, q7, [x0, #96]
  ldp q8, q9, [x0, #128]
  ldp q10, q11, [x0, #160]
  ldp q12, q13, [x0, #192]
  ldp q14, q15, [x0, #224]
  ldp q16, q17, [x0, #256]
  ldp q18, q19, [x0, #288]
  ldp q20, q21, [x0, #320]
  ldp q22, q23, [x0, #352]
  ldp q24, q25, [x0, #384]
  ldp q26, q27, [x0, #416]
  ldp q28, q29, [x0, #448]
  ldp q30, q31, [x0, #480]
  ldr x1, [x0, #512]
  ldr x2, [x0, #520]
  msr fpcr, x1
  msr fpsr, x2
  ret

// The end of a core's start: switches from the boot stack to the idle thread's stack.
.globl use_stack_and_idle
use_stack_and_idle:
  mov sp, x0
  mov x29, xzr
  bl core_idles
  b .
