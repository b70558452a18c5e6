// SPDX-License-Identifier: BSD-3-Clause
// From reset to machine_main() at kernel addresses. Every core starts here: QEMU's loader starts the first core, PSCI
// CPU_ON the others. The image is linked at kKernelBase + its physical address; until the MMU is on, only addresses
// relative to the program counter are used.

#define KERNEL_BASE_TOP 0xffff8000  // bits 63:32; the lower bits are the physical address
#define STACK_SIZE_LOG2 15

.section .text.start, "ax"
.globl _start
_start:
  mrs x19, mpidr_el1
  and x19, x19, #0xff
  mrs x0, CurrentEL
  cmp x0, #(2 << 2)
  b.ne at_el1

  // EL2: only in the trapped mode. EL1 gets the timers and the interrupt controller.
  mov x0, #(1 << 31)  // HCR_EL2.RW: EL1 is AArch64
  msr hcr_el2, x0
  mov x0, #3
  msr cnthctl_el2, x0
  msr cntvoff_el2, xzr
  mov x0, #0x33ff
  msr cptr_el2, x0
  mrs x0, midr_el1
  msr vpidr_el2, x0
  mrs x0, mpidr_el1
  msr vmpidr_el2, x0
  mov x0, #0xf
  msr S3_4_C12_C9_5, x0  // ICC_SRE_EL2
  isb
  adrp x0, el2_stacks
  add x0, x0, :lo12:el2_stacks
  add x1, x19, #1
  lsl x1, x1, #14
  add sp, x0, x1
  mov w0, #1
  adrp x1, wperf_started_at_el2
  str w0, [x1, :lo12:wperf_started_at_el2]
  mov x0, x19
  bl trapped_prepare_el2  // (core): sets VBAR_EL2 and the traps; runs at physical addresses, MMU off
  mov x0, #0x3c5
  msr spsr_el2, x0
  adr x0, at_el1
  msr elr_el2, x0
  isb
  eret

at_el1:
  mov x0, #(3 << 20)
  msr cpacr_el1, x0
  // Boot tables: the first 2 GB at their own addresses and at kKernelBase, in blocks of 1 GB.
  adrp x0, boot_l0
  adrp x1, boot_l1
  orr x2, x1, #3
  str x2, [x0]
  add x3, x0, #2048
  str x2, [x3]
  mov x2, #0x401         // device memory: attribute 0, accessed, valid block
  movk x2, #0x0060, lsl #48
  str x2, [x1]
  mov x2, #0x705         // RAM: attribute 1, inner shareable
  movk x2, #0x4000, lsl #16
  str x2, [x1, #8]
  dsb sy
  msr ttbr0_el1, x0
  msr ttbr1_el1, x0
  ldr x0, =0x0000000000044ff04  // device nGnRE, write-back, uncached
  msr mair_el1, x0
  ldr x0, =0x00000012b5103510   // 48-bit halves, 4 KB pages, write-back inner shareable, 40-bit physical, 8-bit ASID
  msr tcr_el1, x0
  isb
  tlbi vmalle1
  dsb sy
  isb
  mrs x0, sctlr_el1
  mov x1, #0x1005        // M, C, I
  bic x0, x0, #(1 << 23)  // SPAN: an exception sets PSTATE.PAN
  orr x0, x0, x1
  msr sctlr_el1, x0
  isb
  ldr x0, =at_kernel_addresses
  br x0

at_kernel_addresses:
  adrp x0, boot_stacks
  add x0, x0, :lo12:boot_stacks
  add x1, x19, #1
  lsl x1, x1, #14
  add sp, x0, x1
  adrp x0, exception_vectors
  add x0, x0, :lo12:exception_vectors
  msr vbar_el1, x0
  isb
  mov x0, x19
  bl machine_main
  b .
.ltorg

// The trapped mode replaces this function.
.weak trapped_prepare_el2
trapped_prepare_el2:
  ret

.bss
.balign 4096
boot_l0: .skip 4096
boot_l1: .skip 4096
.balign 16384
boot_stacks: .skip 16384 * 8
el2_stacks: .skip 16384 * 8
