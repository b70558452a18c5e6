// SPDX-License-Identifier: BSD-3-Clause
// shares.exe: one loop without end of 40,041 instructions: 28,028 in `seventy`, 8,008 in `twenty`, 4,000 in `ten` and 5
// in `start`. Whoever samples instructions must find 70, 20 and 10 %, whatever his interval has to do with the loop's
// length.
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
