// SPDX-License-Identifier: BSD-3-Clause
// The way into EL2 and back. EL2 runs at physical addresses, MMU off, on the stack that start.S gave it;
// hypervisor.cpp does the rest.
#define FRAME 256

.text
// Only synchronous exceptions of EL1 and EL0 are ours: interrupts go to EL1 directly.
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
  stp x2, x3, [sp, #16]
  stp x4, x5, [sp, #32]
  stp x6, x7, [sp, #48]
  stp x8, x9, [sp, #64]
  stp x10, x11, [sp, #80]
  stp x12, x13, [sp, #96]
  stp x14, x15, [sp, #112]
  stp x16, x17, [sp, #128]
  stp x18, x19, [sp, #144]
  stp x20, x21, [sp, #160]
  stp x22, x23, [sp, #176]
  stp x24, x25, [sp, #192]
  stp x26, x27, [sp, #208]
  stp x28, x29, [sp, #224]
  str x30, [sp, #240]
  b el2_synchronous
  .rept 7
  unexpected
  .endr

el2_synchronous:
  mov x0, sp
  bl trapped_exit
  ldp x2, x3, [sp, #16]
  ldp x4, x5, [sp, #32]
  ldp x6, x7, [sp, #48]
  ldp x8, x9, [sp, #64]
  ldp x10, x11, [sp, #80]
  ldp x12, x13, [sp, #96]
  ldp x14, x15, [sp, #112]
  ldp x16, x17, [sp, #128]
  ldp x18, x19, [sp, #144]
  ldp x20, x21, [sp, #160]
  ldp x22, x23, [sp, #176]
  ldp x24, x25, [sp, #192]
  ldp x26, x27, [sp, #208]
  ldp x28, x29, [sp, #224]
  ldr x30, [sp, #240]
  ldp x0, x1, [sp, #0]
  add sp, sp, #FRAME
  eret
