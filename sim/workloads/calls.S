// SPDX-License-Identifier: BSD-3-Clause
// calls.exe: an endless loop over known call paths. Each function except the leaves has the frame record that the
// Windows ABI requires. A round executes about 100,000 instructions; the instructions by call path:
//
//   start > outer > leaf_a                    20,002
//   start > outer > middle > leaf_b           30,002
//   start > middle > leaf_b                   30,002   the same leaf by another way
//   start > dive > dive … (200 of them) > leaf_c   20,002
        .macro  function name
        .def    \name
        .scl    2
        .type   32
        .endef
        .globl  \name
        .p2align 6
\name:
        .seh_proc \name
        .endm

        .macro  prologue
        stp     x29, x30, [sp, #-16]!
        .seh_save_fplr_x 16
        mov     x29, sp
        .seh_set_fp
        .seh_endprologue
        .endm

        .macro  epilogue
        .seh_startepilogue
        ldp     x29, x30, [sp], #16
        .seh_save_fplr_x 16
        .seh_endepilogue
        ret
        .seh_endproc
        .endm

        .macro  spin rounds             // 2 * rounds + 2 instructions
        mov     w0, #\rounds
1:      subs    w0, w0, #1
        b.ne    1b
        ret
        .endm

        .text
        function start
        prologue
2:      bl      outer
        bl      middle
        mov     w1, #200
        bl      dive
        b       2b
        epilogue

        function outer
        prologue
        bl      leaf_a
        bl      middle
        epilogue

        function middle
        prologue
        bl      leaf_b
        epilogue

        function dive
        prologue
        subs    w1, w1, #1
        b.ne    3f
        bl      leaf_c
        b       4f
3:      bl      dive
4:
        epilogue

        function leaf_a
        .seh_endprologue
        spin    10000
        .seh_endproc

        function leaf_b
        .seh_endprologue
        spin    15000
        .seh_endproc

        .def    leaf_c                  // a leaf needs no unwind data
        .scl    2
        .type   32
        .endef
        .globl  leaf_c
        .p2align 6
leaf_c:
        spin    10000
