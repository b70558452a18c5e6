// SPDX-License-Identifier: BSD-3-Clause
// ARM64 .pdata records made by hand: packed ones of each chain kind, number of saved registers and size of frame; a
// fragment; .xdata whose codes compilers rarely write. Nothing here is ever run.

        .text
        .globl  all_packed
all_packed:

// One packed record for 160 bytes of code.
.macro packed cr, h, regi, regf, frame, flag
        .text
code\@: .fill 40, 4, 0xd503201f
        .section .pdata, "dr"
        .rva code\@
        .word \flag | (40 << 2) | (\regf << 13) | (\regi << 16) | (\h << 20) | (\cr << 21) | (\frame << 23)
.endm

.macro each_chain h, regi, regf, frame
        .if \frame * 16 >= ((\regi * 8 + 8 + \regf * 8 + 8 + \h * 64 + 15) & ~15) + 16
        packed 0, \h, \regi, \regf, \frame, 1
        packed 2, \h, \regi, \regf, \frame, 1
        packed 3, \h, \regi, \regf, \frame, 1
        .if (\h == 0) && (\regi != 1)
        packed 1, \h, \regi, \regf, \frame, 1
        .endif
        .endif
.endm

        .irp regi, 0, 1, 2, 3, 4, 9, 10
        .irp frame, 4, 14, 34, 250, 511
        each_chain 0, \regi, 0, \frame
        each_chain 0, \regi, 1, \frame
        each_chain 0, \regi, 4, \frame
        each_chain 0, \regi, 7, \frame
        each_chain 1, \regi, 0, \frame
        each_chain 1, \regi, 3, \frame
        .endr
        .endr
        packed 3, 0, 2, 0, 6, 2
        packed 0, 0, 2, 0, 6, 2

// One record with .xdata: its codes from `codes` on, `words` of them, one epilogue from code `epilogue` on.
.macro full words, epilogue
        .text
code\@: .fill 40, 4, 0xd503201f
        .section .pdata, "dr"
        .rva code\@
        .rva xdata\@
        .section .xdata, "dr"
        .p2align 2
xdata\@: .word 40 | (1 << 21) | (\epilogue << 22) | (\words << 27)
.endm

        full 2, 0                                       // stp x19, x20; then three more pairs; fp, lr by save_next
        .byte 0xe6, 0xe6, 0xe6, 0xe6, 0xe6, 0x24, 0xe4, 0xe3
        full 1, 0                                       // save_any_reg of lr alone
        .byte 0xe7, 0x1e, 0x01, 0xe4
        full 2, 0                                       // save_lrpair x21, lr; stp x19, x20
        .byte 0xd6, 0x42, 0x24, 0xe4, 0xe3, 0xe3, 0xe3, 0xe3
        full 2, 0                                       // str lr by save_reg; alloc
        .byte 0xd2, 0xc1, 0x02, 0xe4, 0xe3, 0xe3, 0xe3, 0xe3
        full 2, 4                                       // a fragment: no prologue of its own, lr saved before
        .byte 0xe5, 0x41, 0x02, 0xe4, 0x41, 0x02, 0xe4, 0xe3
        full 1, 0                                       // a frame without lr
        .byte 0x24, 0x02, 0xe4, 0xe3
