// SPDX-License-Identifier: BSD-3-Clause
// shares.exe: an endless loop of 40,041 instructions: 28,028 in `seventy`, 8,008 in `twenty`, 4,000 in `ten` and 5 in
// `start`. Samples of instructions must show 70, 20 and 10 %, even if the interval is related to the length of the
// loop.
        .macro  function name
        .def    \name
        .scl    2
        .type   32
        .endef
        .globl  \name
        .p2align 6
\name:
        .endm

        .macro  spin name, rounds       // 2 * rounds + 2 instructions
        function \name
        mov     w0, #\rounds
1:      subs    w0, w0, #1
        b.ne    1b
        ret
        .endm

        .text
        function start
        nop
        bl      seventy
        bl      twenty
        bl      ten
        b       start

        spin    seventy, 14013
        spin    twenty, 4003
        spin    ten, 1999
