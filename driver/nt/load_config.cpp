// SPDX-License-Identifier: BSD-3-Clause
// The image's load configuration: the addresses of the stack guard's secret and of the table of functions that may be
// called through pointers (Control Flow Guard). The linker makes the table and its symbols; the compiler lets every
// such call go through __guard_check_icall_fptr first. The system replaces that pointer when it guards the kernel,
// which it does under memory integrity; otherwise the check does nothing. It is written in assembly, because C++ does
// not accept the addresses in some fields as constants. Layout: winnt.h, IMAGE_LOAD_CONFIG_DIRECTORY64.

__asm__(R"(
  .section .text,"xr"
  .globl guard_check_nothing
  .p2align 2
guard_check_nothing:      // called with the target in x15; leaves every register as it was
  ret

  .section .00cfg,"dr"    // read-only for everybody but the system
  .globl __guard_check_icall_fptr
  .p2align 3
__guard_check_icall_fptr:
  .xword guard_check_nothing

  .section .rdata,"dr"
  .globl _load_config_used
  .p2align 3
_load_config_used:
  .word load_config_end - _load_config_used
  .zero 0x58 - 4
  .xword __security_cookie
  .zero 0x70 - 0x60
  .xword __guard_check_icall_fptr
  .xword 0                // dispatch function: of x86-64
  .xword __guard_fids_table
  .xword __guard_fids_count
  .word __guard_flags
  .zero 0xa0 - 0x94
  .xword __guard_iat_table
  .xword __guard_iat_count
  .xword __guard_longjmp_table
  .xword __guard_longjmp_count
load_config_end:
)");
