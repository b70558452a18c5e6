// SPDX-License-Identifier: BSD-3-Clause
// A function in assembly, with a label that has no size.
  .text
  .globl by_hand
#ifdef _WIN32
  .def by_hand
  .scl 2
  .type 32
  .endef
#else
  .type by_hand, %function
#endif
by_hand:
  nop
  nop
inside_by_hand:
  nop
  nop
#ifndef _WIN32
  .size by_hand, . - by_hand
  .section .note.GNU-stack, "", %progbits
#endif
