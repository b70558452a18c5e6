// SPDX-License-Identifier: BSD-3-Clause
// Entry to EL2 and return from it. EL2 runs at physical addresses, MMU off, on the stack that start.S set up;
// hypervisor.cpp handles the exceptions.
#include "tests/nthost/machine/saved_registers.inc"

#define FRAME 256

.text
// Only synchronous exceptions of EL1 and EL0 are taken to EL2: interrupts are taken to EL1 directly.
.macro unexpected
  .balign 128
  mrs x0, esr_el2
  mrs x1, elr_el2
  bl trapped_unexpected
.endm

.balign 2048
.global trapped_vectors
trapped_vectors:
  .rept 8
  unexpected
  .endr
  .balign 128
  sub sp, sp, #FRAME
  stp x0, x1, [sp, #0]
  SAVE_X2_TO_X29
  str x30, [sp, #240]
  b el2_synchronous
  .rept 7
  unexpected
  .endr

el2_synchronous:
  mov x0, sp
  bl trapped_exit
  LOAD_X2_TO_X29
  ldr x30, [sp, #240]
  ldp x0, x1, [sp, #0]
  add sp, sp, #FRAME
  eret
