// SPDX-License-Identifier: BSD-3-Clause
// Small ARM64 programs for the tests of the engine, assembled with llvm-mc; each ends in SVC. Also a machine of one
// core to run them on.
#pragma once
#include <array>
#include <cstring>
#include <memory>
#include <span>

#include "sim/cpu/core_engine.h"

namespace wperf::sim::test {

inline constexpr u32 kExact[] = {
    0xd2800c80,  // mov x0, #100
    0xf9400022,  // 1: ldr x2, [x1]
    0x8b020063,  // add x3, x3, x2
    0xf9000423,  // str x3, [x1, #8]
    0xf1000400,  // subs x0, x0, #1
    0x54ffff81,  // b.ne 1b
    0x94000002,  // bl 2f
    0xd40000e1,  // svc #7
    0xd65f03c0,  // 2: ret
};

inline constexpr u32 kVectors[] = {
    0xad400420,  // 1: ldp q0, q1, [x1]
    0x4e61d400,  // fadd v0.2d, v0.2d, v1.2d
    0x1e610802,  // fmul d2, d0, d1
    0x1e601843,  // fdiv d3, d2, d0
    0x4e2848a4,  // aese v4.16b, v5.16b
    0xad010420,  // stp q0, q1, [x1, #32]
    0xf8220023,  // ldadd x2, x3, [x1]
    0xd5033bbf,  // dmb ish
    0xf1000400,  // subs x0, x0, #1
    0x54fffee1,  // b.ne 1b
    0xd4000001,  // svc #0
};

inline constexpr u32 kExclusive[] = {
    0xc85ffc22,  // 1: ldaxr x2, [x1]
    0x91000442,  // add x2, x2, #1
    0xc803fc22,  // stlxr w3, x2, [x1]
    0x35ffffa3,  // cbnz w3, 1b
    0xd5033f5f,  // clrex
    0xc8047c22,  // stxr w4, x2, [x1]
    0xc87f1825,  // ldxp x5, x6, [x1]
    0xc8271825,  // stxp w7, x5, x6, [x1]
    0xd50b7421,  // dc zva, x1
    0xd4000001,  // svc #0
};

inline constexpr u32 kChase[] = {
    0xf9400000,  // 1: ldr x0, [x0]
    0xf1000421,  // subs x1, x1, #1
    0x54ffffc1,  // b.ne 1b
    0xd4000001,  // svc #0
};

inline constexpr u32 kTriad[] = {
    0xf8408425,  // 1: ldr x5, [x1], #8
    0xf8408446,  // ldr x6, [x2], #8
    0x8b0600a5,  // add x5, x5, x6
    0xf8008465,  // str x5, [x3], #8
    0xf1000400,  // subs x0, x0, #1
    0x54ffff61,  // b.ne 1b
    0xd4000001,  // svc #0
};

inline constexpr u32 kUnaligned[] = {
    0xf8403022,  // ldr x2, [x1, #3]
    0xf843c022,  // ldur x2, [x1, #60]
    0x910ff023,  // add x3, x1, #1020
    0xf9400062,  // ldr x2, [x3]
    0xf9000062,  // str x2, [x3]
    0xf9420024,  // ldr x4, [x1, #1024]
    0xd4000001,  // svc #0
};

inline constexpr u32 kUser[] = {
    0xd28000f2,  // mov x18, #7
    0xd51bd041,  // msr tpidr_el0, x1
    0xd53bd042,  // mrs x2, tpidr_el0
    0xd53b0023,  // mrs x3, ctr_el0
    0xd53b00e4,  // mrs x4, dczid_el0
    0xd53be005,  // mrs x5, cntfrq_el0
    0xd53be046,  // mrs x6, cntvct_el0
    0xd53b9d07,  // mrs x7, pmccntr_el0
    0xd503207f,  // wfi
    0xd503203f,  // yield
    0xd50b7b21,  // dc cvau, x1
    0xd50b7521,  // ic ivau, x1
    0xd5033fdf,  // isb
    0x1ee32841,  // fadd h1, h2, h3
    0x5e024020,  // sha256h q0, q1, v2.4s
    0xf8e28023,  // swpal x2, x3, [x1]
    0xaa1203e8,  // mov x8, x18
    0xd4000021,  // svc #1
};

inline constexpr u32 kFaultRead[] = {
    0xd2800060,  // mov x0, #3
    0x91000400,  // add x0, x0, #1
    0xf9400122,  // ldr x2, [x9]
    0x91000400,  // add x0, x0, #1
    0xd4000001,  // svc #0
};

inline constexpr u32 kFaultWrite[] = {
    0x91000400,  // add x0, x0, #1
    0xf9000120,  // str x0, [x9]
    0xd4000001,  // svc #0
};

inline constexpr u32 kJump[] = {
    0x91000400,  // add x0, x0, #1
    0xd61f0120,  // br x9
};

inline constexpr u32 kUndefined[] = {
    0x91000400,  // add x0, x0, #1
    0xd5382001,  // mrs x1, ttbr0_el1
    0xd4000001,  // svc #0
};

inline constexpr u32 kBreakpoint[] = {
    0x91000400,  // add x0, x0, #1
    0xd43e0060,  // brk #0xf003
};

inline constexpr u32 kPatched[] = {
    0xd2800020,  // mov x0, #1
    0xd4000001,  // svc #0
};

inline constexpr u32 kSelf[] = {
    0x91000442,  // 1: add x2, x2, #1
    0xf1000400,  // subs x0, x0, #1
    0x54ffffc1,  // b.ne 1b
    0xb9000023,  // str w3, [x1]
    0xd2800140,  // mov x0, #10
    0xd50b7521,  // ic ivau, x1
    0xd5033fdf,  // isb
    0xb5000064,  // cbnz x4, 2f
    0xd2800024,  // mov x4, #1
    0x17fffff7,  // b 1b
    0xd4000001,  // 2: svc #0
};

inline constexpr u32 kBranchy[] = {
    0xca023442,  // 1: eor x2, x2, x2, lsl #13
    0xca421c42,  // eor x2, x2, x2, lsr #7
    0xca024442,  // eor x2, x2, x2, lsl #17
    0x36a00042,  // tbz x2, #20, 2f
    0x91000463,  // add x3, x3, #1
    0xf1000400,  // 2: subs x0, x0, #1
    0x54ffff41,  // b.ne 1b
    0xd4000001,  // svc #0
};

inline constexpr u32 kIncrement[] = {
    0xf9400022,  // 1: ldr x2, [x1]
    0x91000442,  // add x2, x2, #1
    0xf9000022,  // str x2, [x1]
    0xf1000400,  // subs x0, x0, #1
    0x54ffff81,  // b.ne 1b
    0xd4000001,  // svc #0
};

inline constexpr u32 kAlu[] = {
    0x91000442,  // 1: add x2, x2, #1
    0x8b020063,  // add x3, x3, x2
    0xca030084,  // eor x4, x4, x3
    0xf1000400,  // subs x0, x0, #1
    0x54ffff81,  // b.ne 1b
    0xd4000001,  // svc #0
};

inline constexpr u32 kMultiply[] = {
    0xd2800004,  // mov x4, #0
    0xf8647825,  // 1: ldr x5, [x1, x4, lsl #3]
    0xd2800006,  // mov x6, #0
    0xd2800007,  // mov x7, #0
    0xf8667848,  // 2: ldr x8, [x2, x6, lsl #3]
    0x9b087ca9,  // mul x9, x5, x8
    0x9bc87caa,  // umulh x10, x5, x8
    0x8b06008b,  // add x11, x4, x6
    0xf86b786c,  // ldr x12, [x3, x11, lsl #3]
    0xab070129,  // adds x9, x9, x7
    0x9a8a354a,  // cinc x10, x10, cs
    0xab0c0129,  // adds x9, x9, x12
    0x9a8a3547,  // cinc x7, x10, cs
    0xf82b7869,  // str x9, [x3, x11, lsl #3]
    0x910004c6,  // add x6, x6, #1
    0xeb0000df,  // cmp x6, x0
    0x54fffe81,  // b.ne 2b
    0x91000484,  // add x4, x4, #1
    0xeb00009f,  // cmp x4, x0
    0x54fffdc1,  // b.ne 1b
    0xd4000001,  // svc #0
};

inline constexpr u32 kFibonacci[] = {
    0x94000002,  // bl 1f
    0xd4000001,  // svc #0
    0xf100081f,  // 1: cmp x0, #2
    0x54000163,  // b.lo 2f
    0xa9be7bf3,  // stp x19, x30, [sp, #-32]!
    0xf9000be0,  // str x0, [sp, #16]
    0xd1000400,  // sub x0, x0, #1
    0x97fffffb,  // bl 1b
    0xaa0003f3,  // mov x19, x0
    0xf9400be0,  // ldr x0, [sp, #16]
    0xd1000800,  // sub x0, x0, #2
    0x97fffff7,  // bl 1b
    0x8b130000,  // add x0, x0, x19
    0xa8c27bf3,  // ldp x19, x30, [sp], #32
    0xd65f03c0,  // 2: ret
};

inline constexpr u32 kLinks[] = {
    0xaa0003fe,  // mov x30, x0
    0x91000442,  // add x2, x2, #0x1
    0xf9400023,  // ldr x3, [x1]
    0x91000484,  // add x4, x4, #0x1
    0xaa0203fe,  // mov x30, x2
    0x910004a5,  // add x5, x5, #0x1
    0xf9000425,  // str x5, [x1, #0x8]
    0xa9417826,  // ldp x6, x30, [x1, #0x10]
    0xf1000400,  // subs x0, x0, #0x1
    0x54fffee1,  // b.ne 0x0
    0x10000069,  // adr x9, 0x34
    0xd63f0120,  // blr x9
    0xd4000001,  // svc #0
    0xf900003e,  // str x30, [x1]
    0xf940003e,  // ldr x30, [x1]
    0xd65f03c0,  // ret
};

// A block with 24 misses.
inline constexpr std::array<u32, 28> kGather = [] {
  std::array<u32, 28> code{};
  for (u32 i = 0; i < 24; ++i) code[i] = 0xf9400022 | (i * 16) << 10;  // ldr x2, [x1, #(i * 128)]
  code[24] = 0x91400421;                                               // add x1, x1, #4096
  code[25] = 0xf1000400;                                               // subs x0, x0, #1
  code[26] = 0x54fffcc1;                                               // b.ne to the first
  code[27] = 0xd4000001;                                               // svc #0
  return code;
}();

inline constexpr u64 kCode = 0x7ff612340000;
inline constexpr u64 kData = 0x20000000000;

struct OneCore {
  explicit OneCore(u64 data_bytes = 1 << 20, SharedConfig shared_config = {}, const CoreConfig& config = {})
      : shared(shared_config), engine(config, shared) {
    space.map(kCode, 0x10000, kRead | kExecute);
    space.map(kData, data_bytes, kRead | kWrite);
    thread.sp = kData + data_bytes;
    thread.x[1] = kData;
  }
  void load(std::span<const u32> code) {
    space.write(kCode, code.data(), code.size_bytes());
    thread.pc = kCode;
  }
  // Runs to SVC or fault, in slices of this many cycles.
  Stop run(std::span<const u32> code, u64 slice = ~u64{0}) {
    load(code);
    return resume(slice);
  }
  Stop resume(u64 slice = ~u64{0}) {
    Stop stop;
    do {
      stop = engine.run(space, thread, slice);
      ++slices;
    } while (stop.reason == StopReason::budget);
    return stop;
  }
  u64 user(Signal signal) const { return engine.signals()(Level::user, signal); }
  u64 kernel(Signal signal) const { return engine.signals()(Level::kernel, signal); }
  // Writes a ring of pointers over `bytes` of data, a power of two: it visits every line once, in an order that no
  // prefetcher follows.
  void make_ring(u64 bytes) {
    const u64 lines = bytes / 64;
    u64 at = 0;
    for (u64 i = 1; i <= lines; ++i) {
      const u64 next = i % lines * 0x9e3779b1 % lines;  // the factor is odd, so this is a permutation
      const u64 pointer = kData + next * 64;
      space.write(kData + at * 64, &pointer, sizeof pointer);
      at = next;
    }
  }

  SharedMemorySystem shared;
  CoreEngine engine;
  AddressSpace space;
  ThreadState thread;
  u64 slices = 0;
};

// One of the programs above with the initial values of two registers.
struct Program {
  const char* name;
  std::span<const u32> code;
  u64 x0, x1;
};

inline void prepare(OneCore& core, const Program& program) {
  core.load(program.code);
  core.thread.x[0] = program.x0;
  core.thread.x[1] = program.x1;
  core.thread.x[2] = kData + 0x10000;
  core.thread.x[3] = kData + 0x20000;
  core.thread.x[30] = 0x1111;  // outside of all code, so that a test notices it in a result
}

}  // namespace wperf::sim::test
