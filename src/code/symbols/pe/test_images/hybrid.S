// SPDX-License-Identifier: BSD-3-Clause
// What the C runtime would bring into a hybrid image: the load configuration with its metadata, and the pointers that
// calls between the instruction sets go through.

        .section .rdata, "dr"
        .globl  _load_config_used
        .p2align 3
_load_config_used:
        .word 0x140
        .fill 0xc4, 1, 0
        .xword __chpe_metadata
        .fill 0x70, 1, 0

        .p2align 3
__chpe_metadata:
        .word 1
        .rva __hybrid_code_map
        .word __hybrid_code_map_count
        .word 0, 0
        .rva __os_arm64x_dispatch_call_no_redirect
        .rva __os_arm64x_dispatch_ret
        .rva __os_arm64x_check_call
        .rva __os_arm64x_check_icall
        .rva __os_arm64x_check_icall_cfg
        .word 0, 0, 0, 0, 0, 0
        .rva __arm64x_extra_rfe_table
        .word __arm64x_extra_rfe_table_size
        .word 0, 0, 0, 0, 0, 0

        .data
        .p2align 3
.irp name, dispatch_call_no_redirect, dispatch_ret, check_call, check_icall, check_icall_cfg
        .globl __os_arm64x_\name
__os_arm64x_\name:
        .xword 0
.endr
