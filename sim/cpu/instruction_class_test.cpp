// SPDX-License-Identifier: BSD-3-Clause
// The encodings are the output of `llvm-mc -triple=aarch64` for each text, with mattr v8.5a and every extension named
// here.
#include "sim/cpu/instruction_class.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <string>

namespace wperf::sim {
namespace {

struct Row {
  u32 word;
  const char* text;
  const char* traits;
  BranchKind branch;
  u32 access_bytes, access_count, micro_ops;
};

constexpr Row kRows[] = {
    {0x91001020, "add x0, x1, #4", "data_processing", BranchKind::none, 0, 0, 1},
    {0xb0000000, "adrp x0, #4096", "data_processing", BranchKind::none, 0, 0, 1},
    {0x100000a3, "adr x3, #20", "data_processing", BranchKind::none, 0, 0, 1},
    {0x92401c20, "and x0, x1, #0xff", "data_processing", BranchKind::none, 0, 0, 1},
    {0x52a000e5, "movz w5, #7, lsl #16", "data_processing", BranchKind::none, 0, 0, 1},
    {0x53031841, "ubfx w1, w2, #3, #4", "data_processing", BranchKind::none, 0, 0, 1},
    {0x93c31c41, "extr x1, x2, x3, #7", "data_processing", BranchKind::none, 0, 0, 1},
    {0x8b020c20, "add x0, x1, x2, lsl #3", "data_processing", BranchKind::none, 0, 0, 1},
    {0x6b228820, "subs w0, w1, w2, sxtb #2", "data_processing", BranchKind::none, 0, 0, 1},
    {0xaa0103e0, "orr x0, xzr, x1", "data_processing", BranchKind::none, 0, 0, 1},
    {0x9a030041, "adc x1, x2, x3", "data_processing", BranchKind::none, 0, 0, 1},
    {0xfa421023, "ccmp x1, x2, #3, ne", "data_processing", BranchKind::none, 0, 0, 1},
    {0x9a83b041, "csel x1, x2, x3, lt", "data_processing", BranchKind::none, 0, 0, 1},
    {0x9b031041, "madd x1, x2, x3, x4", "data_processing", BranchKind::none, 0, 0, 1},
    {0x9bc37c41, "umulh x1, x2, x3", "data_processing", BranchKind::none, 0, 0, 1},
    {0x9ac30841, "udiv x1, x2, x3", "data_processing integer_divide", BranchKind::none, 0, 0, 1},
    {0x1ac30c41, "sdiv w1, w2, w3", "data_processing integer_divide", BranchKind::none, 0, 0, 1},
    {0x9ac32041, "lslv x1, x2, x3", "data_processing", BranchKind::none, 0, 0, 1},
    {0x9ac35c41, "crc32cx w1, w2, x3", "data_processing", BranchKind::none, 0, 0, 1},
    {0xdac00041, "rbit x1, x2", "data_processing", BranchKind::none, 0, 0, 1},
    {0xdac10041, "pacia x1, x2", "data_processing", BranchKind::none, 0, 0, 1},
    {0x14000010, "b #64", "branch_immediate", BranchKind::jump, 0, 0, 1},
    {0x97fffff0, "bl #-64", "branch_immediate", BranchKind::call, 0, 0, 1},
    {0x54000100, "b.eq #32", "branch_immediate", BranchKind::conditional, 0, 0, 1},
    {0xb4000081, "cbz x1, #16", "branch_immediate", BranchKind::conditional, 0, 0, 1},
    {0x35ffff81, "cbnz w1, #-16", "branch_immediate", BranchKind::conditional, 0, 0, 1},
    {0xb6400041, "tbz x1, #40, #8", "branch_immediate", BranchKind::conditional, 0, 0, 1},
    {0x3727ffc1, "tbnz w1, #4, #-8", "branch_immediate", BranchKind::conditional, 0, 0, 1},
    {0xd61f0200, "br x16", "branch_indirect", BranchKind::indirect_jump, 0, 0, 1},
    {0xd71f0a11, "braa x16, x17", "branch_indirect", BranchKind::indirect_jump, 0, 0, 1},
    {0xd63f0100, "blr x8", "branch_indirect", BranchKind::indirect_call, 0, 0, 1},
    {0xd63f091f, "blraaz x8", "branch_indirect", BranchKind::indirect_call, 0, 0, 1},
    {0xd65f03c0, "ret", "branch_indirect branch_return", BranchKind::procedure_return, 0, 0, 1},
    {0xd65f0bff, "retaa", "branch_indirect branch_return", BranchKind::procedure_return, 0, 0, 1},
    {0xd4000021, "svc #1", "", BranchKind::none, 0, 0, 1},
    {0xd43e0060, "brk #0xf003", "", BranchKind::none, 0, 0, 1},
    {0xd4400020, "hlt #1", "", BranchKind::none, 0, 0, 1},
    {0xd69f03e0, "eret", "", BranchKind::none, 0, 0, 1},
    {0xd503201f, "nop", "", BranchKind::none, 0, 0, 1},
    {0xd503203f, "yield", "", BranchKind::none, 0, 0, 1},
    {0xd503207f, "wfi", "", BranchKind::none, 0, 0, 1},
    {0xd503245f, "bti c", "", BranchKind::none, 0, 0, 1},
    {0xd5033fdf, "isb", "isb", BranchKind::none, 0, 0, 1},
    {0xd5033b9f, "dsb ish", "dsb", BranchKind::none, 0, 0, 1},
    {0xd50339bf, "dmb ishld", "dmb", BranchKind::none, 0, 0, 1},
    {0xd5033f5f, "clrex", "", BranchKind::none, 0, 0, 1},
    {0xd50330ff, "sb", "", BranchKind::none, 0, 0, 1},
    {0xd53bd040, "mrs x0, tpidr_el0", "", BranchKind::none, 0, 0, 1},
    {0xd51bd040, "msr tpidr_el0, x0", "", BranchKind::none, 0, 0, 1},
    {0xd51b4200, "msr nzcv, x0", "", BranchKind::none, 0, 0, 1},
    {0xd53be040, "mrs x0, cntvct_el0", "", BranchKind::none, 0, 0, 1},
    {0xd53b4400, "mrs x0, fpcr", "vector_register", BranchKind::none, 0, 0, 1},
    {0xd51b4420, "msr fpsr, x0", "vector_register", BranchKind::none, 0, 0, 1},
    {0xd50b7420, "dc zva, x0", "store zero_line", BranchKind::none, 64, 1, 1},
    {0xd50b7e20, "dc civac, x0", "", BranchKind::none, 0, 0, 1},
    {0xd50b7520, "ic ivau, x0", "", BranchKind::none, 0, 0, 1},
    {0xf9400020, "ldr x0, [x1]", "load", BranchKind::none, 8, 1, 1},
    {0xb8404c20, "ldr w0, [x1, #4]!", "load", BranchKind::none, 4, 1, 1},
    {0xb8404420, "ldr w0, [x1], #4", "load", BranchKind::none, 4, 1, 1},
    {0xf8627820, "ldr x0, [x1, x2, lsl #3]", "load", BranchKind::none, 8, 1, 1},
    {0x39400420, "ldrb w0, [x1, #1]", "load", BranchKind::none, 1, 1, 1},
    {0x79800020, "ldrsh x0, [x1]", "load", BranchKind::none, 2, 1, 1},
    {0x79c00020, "ldrsh w0, [x1]", "load", BranchKind::none, 2, 1, 1},
    {0xb9800020, "ldrsw x0, [x1]", "load", BranchKind::none, 4, 1, 1},
    {0xf85fd020, "ldur x0, [x1, #-3]", "load", BranchKind::none, 8, 1, 1},
    {0xf8400820, "ldtr x0, [x1]", "load", BranchKind::none, 8, 1, 1},
    {0x58000100, "ldr x0, #32", "load", BranchKind::none, 8, 1, 1},
    {0x18000100, "ldr w0, #32", "load", BranchKind::none, 4, 1, 1},
    {0x98000100, "ldrsw x0, #32", "load", BranchKind::none, 4, 1, 1},
    {0x9c000100, "ldr q0, #32", "load vector_register", BranchKind::none, 16, 1, 1},
    {0xf8200420, "ldraa x0, [x1]", "load", BranchKind::none, 8, 1, 1},
    {0xf9000420, "str x0, [x1, #8]", "store", BranchKind::none, 8, 1, 1},
    {0x38001420, "strb w0, [x1], #1", "store", BranchKind::none, 1, 1, 1},
    {0x781ff020, "sturh w0, [x1, #-1]", "store", BranchKind::none, 2, 1, 1},
    {0xb8225820, "str w0, [x1, w2, uxtw #2]", "store", BranchKind::none, 4, 1, 1},
    {0xf9800000, "prfm pldl1keep, [x0]", "", BranchKind::none, 0, 0, 1},
    {0xf89f8000, "prfum pldl1keep, [x0, #-8]", "", BranchKind::none, 0, 0, 1},
    {0xf8a16800, "prfm pldl1keep, [x0, x1]", "", BranchKind::none, 0, 0, 1},
    {0xd8000200, "prfm pldl1keep, #64", "", BranchKind::none, 0, 0, 1},
    {0x3dc00020, "ldr q0, [x1]", "load vector_register", BranchKind::none, 16, 1, 1},
    {0xfd400420, "ldr d0, [x1, #8]", "load vector_register", BranchKind::none, 8, 1, 1},
    {0xbc626820, "ldr s0, [x1, x2]", "load vector_register", BranchKind::none, 4, 1, 1},
    {0x3d400020, "ldr b0, [x1]", "load vector_register", BranchKind::none, 1, 1, 1},
    {0x3c810420, "str q0, [x1], #16", "store vector_register", BranchKind::none, 16, 1, 1},
    {0x7d000020, "str h0, [x1]", "store vector_register", BranchKind::none, 2, 1, 1},
    {0xbc1fc020, "stur s0, [x1, #-4]", "store vector_register", BranchKind::none, 4, 1, 1},
    {0xa8c107e0, "ldp x0, x1, [sp], #16", "load", BranchKind::none, 8, 2, 2},
    {0x29400440, "ldp w0, w1, [x2]", "load", BranchKind::none, 4, 2, 2},
    {0x69400440, "ldpsw x0, x1, [x2]", "load", BranchKind::none, 4, 2, 2},
    {0xa8400440, "ldnp x0, x1, [x2]", "load", BranchKind::none, 8, 2, 2},
    {0xa9bf7bfd, "stp x29, x30, [sp, #-16]!", "store", BranchKind::none, 8, 2, 2},
    {0x29010440, "stp w0, w1, [x2, #8]", "store", BranchKind::none, 4, 2, 2},
    {0xad400440, "ldp q0, q1, [x2]", "load vector_register", BranchKind::none, 16, 2, 2},
    {0x6d0127e8, "stp d8, d9, [sp, #16]", "store vector_register", BranchKind::none, 8, 2, 2},
    {0x2d000400, "stp s0, s1, [x0]", "store vector_register", BranchKind::none, 4, 2, 2},
    {0x69000440, "stgp x0, x1, [x2]", "store", BranchKind::none, 16, 1, 1},
    {0xd9200820, "stg x0, [x1]", "store", BranchKind::none, 16, 1, 1},
    {0xd9600020, "ldg x0, [x1]", "load", BranchKind::none, 16, 1, 1},
    {0x4c40a000, "ld1 { v0.16b, v1.16b }, [x0]", "load vector_register", BranchKind::none, 16, 2, 2},
    {0x0c402000, "ld1 { v0.8b, v1.8b, v2.8b, v3.8b }, [x0]", "load vector_register", BranchKind::none, 8, 4, 4},
    {0x4cdf8800, "ld2 { v0.4s, v1.4s }, [x0], #32", "load vector_register", BranchKind::none, 16, 2, 2},
    {0x4c004400, "st3 { v0.8h, v1.8h, v2.8h }, [x0]", "store vector_register", BranchKind::none, 16, 3, 3},
    {0x4cc10c00, "ld4 { v0.2d, v1.2d, v2.2d, v3.2d }, [x0], x1", "load vector_register", BranchKind::none, 16, 4, 4},
    {0x0d409000, "ld1 { v0.s }[1], [x0]", "load vector_register", BranchKind::none, 4, 1, 1},
    {0x4d408400, "ld1 { v0.d }[1], [x0]", "load vector_register", BranchKind::none, 8, 1, 1},
    {0x0d205800, "st2 { v0.h, v1.h }[3], [x0]", "store vector_register", BranchKind::none, 2, 2, 2},
    {0x0d402c00, "ld3 { v0.b, v1.b, v2.b }[3], [x0]", "load vector_register", BranchKind::none, 1, 3, 3},
    {0x4d40cc00, "ld1r { v0.2d }, [x0]", "load vector_register", BranchKind::none, 8, 1, 1},
    {0x4d60e800, "ld4r { v0.4s, v1.4s, v2.4s, v3.4s }, [x0]", "load vector_register", BranchKind::none, 4, 4, 4},
    {0xc85f7c20, "ldxr x0, [x1]", "load load_exclusive", BranchKind::none, 8, 1, 1},
    {0x885ffc20, "ldaxr w0, [x1]", "load load_exclusive acquire", BranchKind::none, 4, 1, 1},
    {0xc87f0440, "ldxp x0, x1, [x2]", "load load_exclusive", BranchKind::none, 8, 2, 2},
    {0x887f8440, "ldaxp w0, w1, [x2]", "load load_exclusive acquire", BranchKind::none, 4, 2, 2},
    {0xc8007c41, "stxr w0, x1, [x2]", "store store_exclusive", BranchKind::none, 8, 1, 1},
    {0x0800fc41, "stlxrb w0, w1, [x2]", "store store_exclusive release", BranchKind::none, 1, 1, 1},
    {0xc8200861, "stxp w0, x1, x2, [x3]", "store store_exclusive", BranchKind::none, 8, 2, 2},
    {0x88208861, "stlxp w0, w1, w2, [x3]", "store store_exclusive release", BranchKind::none, 4, 2, 2},
    {0xc8dffc20, "ldar x0, [x1]", "load acquire", BranchKind::none, 8, 1, 1},
    {0x489ffc20, "stlrh w0, [x1]", "store release", BranchKind::none, 2, 1, 1},
    {0xf8bfc020, "ldapr x0, [x1]", "load acquire", BranchKind::none, 8, 1, 1},
    {0xd9408020, "ldapur x0, [x1, #8]", "load acquire", BranchKind::none, 8, 1, 1},
    {0x99808020, "ldapursw x0, [x1, #8]", "load acquire", BranchKind::none, 4, 1, 1},
    {0x99008020, "stlur w0, [x1, #8]", "store release", BranchKind::none, 4, 1, 1},
    {0xc8df7c20, "ldlar x0, [x1]", "load acquire", BranchKind::none, 8, 1, 1},
    {0xc8a07c41, "cas x0, x1, [x2]", "load store", BranchKind::none, 8, 1, 2},
    {0x88e0fc41, "casal w0, w1, [x2]", "load store acquire release", BranchKind::none, 4, 1, 2},
    {0x48607c82, "caspa x0, x1, x2, x3, [x4]", "load store acquire", BranchKind::none, 8, 2, 4},
    {0x08207c82, "casp w0, w1, w2, w3, [x4]", "load store", BranchKind::none, 4, 2, 4},
    {0xf8200041, "ldadd x0, x1, [x2]", "load store", BranchKind::none, 8, 1, 2},
    {0xb8e00041, "ldaddal w0, w1, [x2]", "load store acquire release", BranchKind::none, 4, 1, 2},
    {0xf8601041, "ldclrl x0, x1, [x2]", "load store release", BranchKind::none, 8, 1, 2},
    {0x38204041, "ldsmaxb w0, w1, [x2]", "load store", BranchKind::none, 1, 1, 2},
    {0xf820003f, "stadd x0, [x1]", "load store", BranchKind::none, 8, 1, 2},
    {0xf8a08041, "swpa x0, x1, [x2]", "load store acquire", BranchKind::none, 8, 1, 2},
    {0x1e622820, "fadd d0, d1, d2", "floating_point vector_register", BranchKind::none, 0, 0, 1},
    {0x1f020c20, "fmadd s0, s1, s2, s3", "floating_point vector_register", BranchKind::none, 0, 0, 1},
    {0x1e612000, "fcmp d0, d1", "floating_point vector_register", BranchKind::none, 0, 0, 1},
    {0x1e610403, "fccmp d0, d1, #3, eq", "floating_point vector_register", BranchKind::none, 0, 0, 1},
    {0x1e620c20, "fcsel d0, d1, d2, eq", "floating_point vector_register", BranchKind::none, 0, 0, 1},
    {0x1e6e1000, "fmov d0, #1.0", "floating_point vector_register", BranchKind::none, 0, 0, 1},
    {0x1e604020, "fmov d0, d1", "floating_point vector_register", BranchKind::none, 0, 0, 1},
    {0x9e660020, "fmov x0, d1", "vector_register", BranchKind::none, 0, 0, 1},
    {0x1e270020, "fmov s0, w1", "vector_register", BranchKind::none, 0, 0, 1},
    {0x9eaf0020, "fmov v0.d[1], x1", "vector_register", BranchKind::none, 0, 0, 1},
    {0x9e620020, "scvtf d0, x1", "floating_point vector_register", BranchKind::none, 0, 0, 1},
    {0x1e380020, "fcvtzs w0, s1", "floating_point vector_register", BranchKind::none, 0, 0, 1},
    {0x1e7e0020, "fjcvtzs w0, d1", "floating_point vector_register", BranchKind::none, 0, 0, 1},
    {0x9e42f020, "scvtf d0, x1, #4", "floating_point vector_register", BranchKind::none, 0, 0, 1},
    {0x1e621820, "fdiv d0, d1, d2", "floating_point float_divide vector_register", BranchKind::none, 0, 0, 1},
    {0x1e21c020, "fsqrt s0, s1", "floating_point float_divide vector_register", BranchKind::none, 0, 0, 1},
    {0x1ee0c020, "fabs h0, h1", "floating_point vector_register", BranchKind::none, 0, 0, 1},
    {0x4ea28420, "add v0.4s, v1.4s, v2.4s", "advanced_simd vector_register", BranchKind::none, 0, 0, 1},
    {0x4e62cc20, "fmla v0.2d, v1.2d, v2.2d", "advanced_simd vector_register", BranchKind::none, 0, 0, 1},
    {0x6e22fc20, "fdiv v0.4s, v1.4s, v2.4s", "advanced_simd float_divide vector_register", BranchKind::none, 0, 0, 1},
    {0x6ee1f820, "fsqrt v0.2d, v1.2d", "advanced_simd float_divide vector_register", BranchKind::none, 0, 0, 1},
    {0x5ee20c20, "sqadd d0, d1, d2", "advanced_simd vector_register", BranchKind::none, 0, 0, 1},
    {0x5e61d820, "scvtf d0, d1", "advanced_simd vector_register", BranchKind::none, 0, 0, 1},
    {0x4eb1b820, "addv s0, v1.4s", "advanced_simd vector_register", BranchKind::none, 0, 0, 1},
    {0x4e020020, "tbl v0.16b, { v1.16b }, v2.16b", "advanced_simd vector_register", BranchKind::none, 0, 0, 1},
    {0x6e021820, "ext v0.16b, v1.16b, v2.16b, #3", "advanced_simd vector_register", BranchKind::none, 0, 0, 1},
    {0x4e823820, "zip1 v0.4s, v1.4s, v2.4s", "advanced_simd vector_register", BranchKind::none, 0, 0, 1},
    {0x6f00e400, "movi v0.2d, #0", "advanced_simd vector_register", BranchKind::none, 0, 0, 1},
    {0x4f235420, "shl v0.4s, v1.4s, #3", "advanced_simd vector_register", BranchKind::none, 0, 0, 1},
    {0x0ee2e020, "pmull v0.1q, v1.1d, v2.1d", "advanced_simd vector_register", BranchKind::none, 0, 0, 1},
    {0x4e829420, "sdot v0.4s, v1.16b, v2.16b", "advanced_simd vector_register", BranchKind::none, 0, 0, 1},
    {0x4e0c0420, "dup v0.4s, v1.s[1]", "advanced_simd vector_register", BranchKind::none, 0, 0, 1},
    {0x5e180420, "dup d0, v1.d[1]", "advanced_simd vector_register", BranchKind::none, 0, 0, 1},
    {0x6e0c4420, "ins v0.s[1], v1.s[2]", "advanced_simd vector_register", BranchKind::none, 0, 0, 1},
    {0x4e040c20, "dup v0.4s, w1", "vector_register", BranchKind::none, 0, 0, 1},
    {0x4e0c1c20, "ins v0.s[1], w1", "vector_register", BranchKind::none, 0, 0, 1},
    {0x0e073c20, "umov w0, v1.b[3]", "vector_register", BranchKind::none, 0, 0, 1},
    {0x4e0e2c20, "smov x0, v1.h[3]", "vector_register", BranchKind::none, 0, 0, 1},
    {0x4e284820, "aese v0.16b, v1.16b", "crypto vector_register", BranchKind::none, 0, 0, 1},
    {0x4e286820, "aesmc v0.16b, v1.16b", "crypto vector_register", BranchKind::none, 0, 0, 1},
    {0x5e020020, "sha1c q0, s1, v2.4s", "crypto vector_register", BranchKind::none, 0, 0, 1},
    {0x5e282820, "sha256su0 v0.4s, v1.4s", "crypto vector_register", BranchKind::none, 0, 0, 1},
    {0x5e024020, "sha256h q0, q1, v2.4s", "crypto vector_register", BranchKind::none, 0, 0, 1},
    {0xce628020, "sha512h q0, q1, v2.2d", "crypto vector_register", BranchKind::none, 0, 0, 1},
    {0xce020c20, "eor3 v0.16b, v1.16b, v2.16b, v3.16b", "crypto vector_register", BranchKind::none, 0, 0, 1},
    {0xcec08420, "sm4e v0.4s, v1.4s", "crypto vector_register", BranchKind::none, 0, 0, 1},
    {0x00000000, "udf #0", "", BranchKind::none, 0, 0, 1},
};

constexpr const char* kTraitNames[kTraitCount] = {
    "load",
    "store",
    "data_processing",
    "advanced_simd",
    "floating_point",
    "crypto",
    "load_exclusive",
    "store_exclusive",
    "acquire",
    "release",
    "isb",
    "dsb",
    "dmb",
    "branch_immediate",
    "branch_indirect",
    "branch_return",
    "integer_divide",
    "float_divide",
    "vector_register",
    "zero_line",
};

// In the order of the enumeration.
std::string trait_names(const Instruction& instruction) {
  std::string result;
  for (u32 i = 0; i < kTraitCount; ++i) {
    if (!instruction.is(static_cast<Trait>(i))) continue;
    if (!result.empty()) result += ' ';
    result += kTraitNames[i];
  }
  return result;
}

TEST(InstructionClass, AllEncodingGroupsAreDistinguished) {
  for (const Row& row : kRows) {
    const Instruction instruction = classify_instruction(row.word);
    EXPECT_EQ(trait_names(instruction), row.traits) << row.text;
    EXPECT_EQ(instruction.branch, row.branch) << row.text;
    EXPECT_EQ(instruction.access_bytes, row.access_bytes) << row.text;
    EXPECT_EQ(instruction.access_count, row.access_count) << row.text;
    EXPECT_EQ(instruction.micro_ops, row.micro_ops) << row.text;
  }
}

TEST(InstructionClass, BranchOffsetsAreSignedAndScaled) {
  const auto offset = [](u32 word) { return static_cast<int>(classify_instruction(word).branch_offset); };
  EXPECT_EQ(offset(0x14000010), 64) << "b #64";
  EXPECT_EQ(offset(0x97fffff0), -64) << "bl #-64";
  EXPECT_EQ(offset(0x54000100), 32) << "b.eq #32";
  EXPECT_EQ(offset(0x35ffff81), -16) << "cbnz w1, #-16";
  EXPECT_EQ(offset(0xb6400041), 8) << "tbz x1, #40, #8";
  EXPECT_EQ(offset(0x3727ffc1), -8) << "tbnz w1, #4, #-8";
}

TEST(InstructionClass, UnallocatedWordsHaveNoTraits) {
  for (const u32 word : {0x00000000U, 0x0000ffffU, 0x02000000U, 0x04e08000U, 0x06000000U}) {
    EXPECT_EQ(classify_instruction(word).traits, 0U) << std::hex << word;
  }
}

// The table above agrees with the installed assembler, if there is one.
TEST(InstructionClass, TableAgreesWithTheAssembler) {
  if (std::system("command -v llvm-mc-19 >/dev/null") != 0) GTEST_SKIP() << "no llvm-mc-19";
  const std::string source = testing::TempDir() + "wperf-instruction-class.s";
  {
    std::ofstream file(source);
    for (const Row& row : kRows) file << row.text << '\n';
  }
  const std::string command =
      "llvm-mc-19 -triple=aarch64 -mattr=+v8.5a,+aes,+sha2,+sha3,+sm4,+lse,+fullfp16,+rcpc,+rcpc-immo,+pauth,+mte,"
      "+dotprod -show-encoding " +
      source;
  FILE* const pipe = popen(command.c_str(), "r");
  ASSERT_NE(pipe, nullptr);
  char line[512];
  usize row = 0;
  while (std::fgets(line, sizeof line, pipe) != nullptr) {
    const char* const encoding = std::strstr(line, "encoding: [0x");
    if (encoding == nullptr) continue;
    unsigned byte[4];
    // Labels are numbers here, so that the assembler leaves no fixups.
    ASSERT_EQ(std::sscanf(encoding, "encoding: [0x%x,0x%x,0x%x,0x%x]", &byte[0], &byte[1], &byte[2], &byte[3]), 4)
        << line;
    ASSERT_LT(row, std::size(kRows));
    EXPECT_EQ(byte[0] | byte[1] << 8 | byte[2] << 16 | byte[3] << 24, kRows[row].word) << kRows[row].text;
    ++row;
  }
  EXPECT_EQ(pclose(pipe), 0);
  EXPECT_EQ(row, std::size(kRows));
  std::remove(source.c_str());
}

}  // namespace
}  // namespace wperf::sim
