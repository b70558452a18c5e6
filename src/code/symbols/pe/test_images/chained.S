// SPDX-License-Identifier: BSD-3-Clause
// x64 unwind information that continues another record: inside it, and far from it.

        .text
        .globl  whole
        .seh_proc whole
whole:
        pushq %rbp
        .seh_pushreg %rbp
        .seh_endprologue
        nop
        .seh_startchained
        pushq %rbx
        .seh_pushreg %rbx
        .seh_endprologue
        nop
        popq %rbx
        .seh_endchained
        popq %rbp
        ret
        .seh_endproc

        .globl between
        .seh_proc between
between:
        subq $40, %rsp
        .seh_stackalloc 40
        .seh_endprologue
        addq $40, %rsp
        ret
        .seh_endproc

// Two more parts of `whole`, written by hand: flags say "chained", no codes, then the record of `whole`. The second
// follows the first without a gap.
cold:   nop
        ret
colder: nop
        ret
cold_end:
        .section .xdata, "dr"
        .p2align 2
cold_info:
        .byte 0x21, 0, 0, 0
        .rva whole
        .rva between
        .rva cold_info
        .section .pdata, "dr"
        .rva cold
        .rva colder
        .rva cold_info
        .rva colder
        .rva cold_end
        .rva cold_info
