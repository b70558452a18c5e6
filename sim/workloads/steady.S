// SPDX-License-Identifier: BSD-3-Clause
// steady.exe: an endless loop with 20 instructions per iteration: 4 loads, 2 stores, 9 integer data processing, 2
// scalar float, 2 vector, 1 immediate branch (always taken). Every event has the same rate at all times, so counts
// extrapolated from a part of the time can be checked.
        .def    start
        .scl    2
        .type   32
        .endef

        .text
        .globl  start
        .p2align 6
start:
        adrp    x10, buffer
        add     x10, x10, :lo12:buffer
        .p2align 6
loop:
        ldr     x0, [x10]
        add     x1, x1, #1
        ldr     x2, [x10, #8]
        add     x3, x3, #3
        fadd    d0, d0, d1
        eor     x4, x4, x1
        str     x1, [x10, #16]
        add     x5, x5, x3
        add     v2.4s, v2.4s, v3.4s
        ldr     x6, [x10, #24]
        sub     x7, x7, #1
        orr     x8, x1, #1
        fmul    d4, d4, d1
        ldr     x9, [x10, #32]
        and     x11, x3, #0xff
        str     x3, [x10, #40]
        mul     v5.4s, v5.4s, v3.4s
        add     x12, x12, x11
        sub     x13, x13, x12
        b       loop

        .data
        .p2align 6
buffer: .skip   64
