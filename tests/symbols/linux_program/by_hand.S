// SPDX-License-Identifier: BSD-3-Clause
// A function without C, with a label that has no size.
  .text
  .globl by_hand
  .type by_hand, %function
by_hand:
  nop
  nop
inside_by_hand:
  nop
  nop
  .size by_hand, . - by_hand
  .section .note.GNU-stack, "", %progbits
