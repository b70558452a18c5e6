// SPDX-License-Identifier: BSD-3-Clause
// See workloads.h. The numbers on the right are how often a line executes.
.section .text.workloads, "ax"
.balign 64

.global known_work, known_work_begin, known_loop_begin, known_loop_end, known_loop_caller, known_work_end
known_work_begin:
known_work:
  stp x29, x30, [sp, #-16]!  // 1
  mov x29, sp                // 1
  bl 1f                      // 1
known_loop_caller:
  ldp x29, x30, [sp], #16    // 1
  ret                        // 1
1:
  mov x1, xzr                // 1
known_loop_begin:
2:
  add x1, x1, #1             // n
  nop                        // n
  subs x0, x0, #1            // n
  b.ne 2b                    // n
known_loop_end:
  mov x0, x1                 // 1
  nop                        // 1
  ret                        // 1
known_work_end:

.balign 64
.global deep_work, deep_work_begin, deep_loop_begin, deep_loop_end, deep_caller, deep_work_end
deep_work_begin:
deep_work:
  stp x29, x30, [sp, #-16]!
  mov x29, sp
  tst x0, #0xffff
  b.eq 1f
  sub x0, x0, #1
  bl deep_work
deep_caller:
  ldp x29, x30, [sp], #16
  ret
1:
  lsr x1, x0, #16
deep_loop_begin:
2:
  yield                      // as in endless_work
  mov x2, #200
3:
  subs x2, x2, #1
  b.ne 3b
  subs x1, x1, #1
  b.ne 2b                    // if it was 0, this loops for ever
deep_loop_end:
  ldp x29, x30, [sp], #16
  ret
deep_work_end:

.balign 64
.global framed_work, framed_work_begin, framed_loop_begin, framed_work_end
framed_work_begin:
framed_work:
  mov x29, x0
framed_loop_begin:
1:
  yield
  mov x2, #200
2:
  subs x2, x2, #1
  b.ne 2b
  b 1b
framed_work_end:

.balign 64
.global endless_work, endless_work_begin, endless_hot, endless_cold, endless_cold_end, endless_work_end
endless_work_begin:
endless_work:
  mov x19, x0
  add x20, x0, x0, lsl #1
1:
  yield                      // under -icount QEMU then runs the next core; two such programs need this to share time
  mov x0, x20
  bl endless_hot
  mov x0, x19
  bl endless_cold
  b 1b
endless_hot:
  subs x0, x0, #1
  b.ne endless_hot
  ret
endless_cold:
  subs x0, x0, #1
  b.ne endless_cold
  ret
endless_cold_end:
endless_work_end:
