// SPDX-License-Identifier: BSD-3-Clause
// exact.exe: eight loops of EXACT_N iterations whose event counts are known by construction. README.md has the totals;
// a change of an instruction in this file also changes that table. The program calls no function, reads no argument and
// ends by returning from its entry point: `ret`, then the `svc` of the stub to which it returns.
//
//   per iteration        instructions   dp  ld  st  br_immed  br_return  vfp  ase  crypto
//   integer                   4          3           1
//   loads                     4          1   2       1
//   stores                    4          1       2   1
//   calls                     4          1           2          1
//   branches not taken        3          1           2
//   scalar float              4          1           1                    2
//   vector                    4          1           1                         2
//   crypto                    4          1           1                              2
//   sum                      31         10   2   2  10          1         2    2    2
//
//   once: 21 data processing (8 times 2 for the loop counter, 2 for the address, 2 around the calls, 1 for the exit
//   code), 1 return, 1 svc
        .arch_extension crypto

        .def    start
        .scl    2
        .type   32
        .endef

        .macro  begin_loop
        movz    x9, #(EXACT_N & 0xffff)
        movk    x9, #(EXACT_N >> 16), lsl #16
        .endm

        .macro  function name           // global, so that the PDB knows it
        .def    \name
        .scl    2
        .type   32
        .endef
        .globl  \name
        .p2align 2
\name:
        .endm

        .text
        .globl  start
        .p2align 2
start:
function integer_loop
        begin_loop
1:      add     x0, x0, #1
        eor     x1, x1, x0
        subs    x9, x9, #1
        b.ne    1b

function load_loop
        adrp    x10, buffer
        add     x10, x10, :lo12:buffer
        begin_loop
1:      ldr     x2, [x10]
        ldr     x3, [x10, #8]
        subs    x9, x9, #1
        b.ne    1b

function store_loop
        begin_loop
1:      str     x2, [x10]
        str     x3, [x10, #8]
        subs    x9, x9, #1
        b.ne    1b

function call_loop
        mov     x11, x30
        begin_loop
1:      bl      leaf
        subs    x9, x9, #1
        b.ne    1b
        mov     x30, x11

function not_taken_loop
        begin_loop
1:      cbz     x9, 1b                  // x9 counts down from N and leaves at 0: never taken
        subs    x9, x9, #1
        b.ne    1b

function float_loop
        begin_loop
1:      fadd    d0, d0, d1
        fmul    d2, d2, d1
        subs    x9, x9, #1
        b.ne    1b

function vector_loop
        begin_loop
1:      add     v3.4s, v3.4s, v4.4s
        mul     v5.4s, v5.4s, v4.4s
        subs    x9, x9, #1
        b.ne    1b

function crypto_loop
        begin_loop
1:      aese    v6.16b, v7.16b
        aesmc   v6.16b, v6.16b
        subs    x9, x9, #1
        b.ne    1b

        mov     w0, #0
        ret

function leaf
        ret

        .data
        .p2align 6
buffer: .skip   64
