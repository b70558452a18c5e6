// SPDX-License-Identifier: BSD-3-Clause
// A program with a known number of instructions: 2 before the loop, 2 in each of its ROUNDS, 3 at the end. It uses no
// library, so nothing else runs in user mode.
        .globl  _start
_start: movz    x0, #(ROUNDS & 0xffff)
        movk    x0, #(ROUNDS >> 16), lsl #16
1:      subs    x0, x0, #1
        b.ne    1b
        mov     x0, #0
        mov     x8, #93                         // exit
        svc     #0
