// SPDX-License-Identifier: BSD-3-Clause
// Random loops of ARM64 code for tests that compare two ways of executing them: integer instructions of all kinds,
// loads and stores, branches of all kinds, and some instructions that only one of the two supports. Also compares two
// machines that executed the same program.
#pragma once
#include <bit>
#include <cstring>
#include <string>
#include <vector>

#include "sim/cpu/test_programs.h"

namespace wperf::sim::test {

inline CoreConfig one_way(bool translates) {
  CoreConfig config;
  config.translates = translates;
  return config;
}

class RandomPrograms {
 public:
  explicit RandomPrograms(u64 seed) : state_(seed | 1) {}

  u64 next() {
    state_ ^= state_ << 13;
    state_ ^= state_ >> 7;
    state_ ^= state_ << 17;
    return state_;
  }
  u32 below(u32 limit) { return static_cast<u32>(next() >> 20) % limit; }

  // x0 … x15 take part; x19 counts the rounds, x20 and x21 hold an address and an index, x22 and x23 hold addresses
  // that change.
  std::vector<u32> program(u32 length) {
    const bool unknown = below(4) == 0, calls = below(3) == 0, floats = below(2) == 0;
    std::vector<u32> code = {0xaa1403f6};  // 1: mov x22, x20
    if (floats) code.insert(code.end(), kFreshNumbers.begin(), kFreshNumbers.end());
    while (code.size() < length) {
      const u32 kind = below(16);
      if (kind < 5) {
        code.push_back(data());
      } else if (kind < 8) {
        code.push_back(floats ? vectors() : data());
      } else if (kind < 12) {
        code.push_back(memory());
      } else if (kind < 15) {
        skip(code);
      } else if (unknown) {
        only_for_unicorn(code);
      } else if (calls) {
        code.insert(code.end(), {0x14000001, kCallOnTheWay});  // b 1f; 1: svc #7
      }
    }
    code.push_back(0xf1000673);  // subs x19, x19, #1
    code.push_back(0x54000001 | (static_cast<u32>(-static_cast<int>(code.size())) & 0x7ffff) << 5);  // b.ne 1b
    code.push_back(0xd4000001);                                                                      // svc #0
    return code;
  }

  // An instruction on vector registers, or an access of them.
  u32 vectors() {
    for (;;) {
      if (const u32 word = maybe_vectors(); known(word)) return word;
    }
  }

  static void prepare(OneCore& core, u32 rounds) {
    for (u32 i = 0; i < 16; ++i) core.thread.x[i] = 0x9e3779b97f4a7c15 * (i + 1);
    constexpr double kNumbers[] = {1.5, -0.1, 3e300, 5e-324, 2.2250738585072014e-308, -7e9, 0, 1e-160};
    for (u32 i = 0; i < 32; ++i) {
      const u32 times = 1 + i / 8;
      core.thread.v[i] = {std::bit_cast<u64>(kNumbers[i % 8] * times), u64{0x3fc000003dcccccd} * (i % 3)};
    }
    core.thread.v[7][0] = 0x7ff0000000000001;  // a signalling NaN
    core.thread.v[15][0] = 0xfff8000000000123;
    core.thread.v[23] = {0x0080000000000001, 0x7f7fffff7f800000};
    core.thread.x[19] = rounds;
    core.thread.x[20] = kData + 0x8000;
    core.thread.x[21] = 0x123;
    core.thread.x[23] = kData + 0x20000;
  }

  static constexpr u32 kCallOnTheWay = 0xd40000e1;  // svc #7: the program continues after it

 private:
  // Without fresh numbers, every value would soon be a NaN: scvtf d0, x1; scvtf s1, w2; scvtf d2, w3; fmov d3, #1.5;
  // fmov s4, #-0.25; ucvtf s5, w4; fmov d6, d0; dup v7.4s, v5.s[0]
  static constexpr std::array<u32, 8> kFreshNumbers = {0x9e620020, 0x1e220041, 0x1e620062, 0x1e6f1003,
                                                       0x1e3a1004, 0x1e230085, 0x1e604006, 0x4e0404a7};
  // Whether the encoding is a known instruction.
  bool known(u32 word) {
    const u32 code[] = {word, 0xd4000001};
    scratch_.load(code);
    return scratch_.engine.run(scratch_.space, scratch_.thread, ~u64{0}).reason == StopReason::kernel_call;
  }
  u32 data() {
    for (;;) {
      if (const u32 word = maybe_data(); known(word)) return word;
    }
  }
  u32 to() { return below(8) == 0 ? 31 : below(16); }
  // An instruction with an immediate or a register. Its fields are random, except for the register that is written.
  u32 maybe_data() {
    const u32 random = static_cast<u32>(next() >> 16);
    const u32 group = below(3) == 0 ? 0x10000000 : 0x0a000000;
    u32 word = (random & 0xe1ffffe0) | group | to();
    if (group == 0x10000000) {
      word = (word & ~0x1f800000U) | 0x10000000 | (2 + below(6)) << 23;  // no tags
      if ((word >> 23 & 7) == 3) word -= 1U << 23;
    } else if (below(2) == 0) {
      word |= 0x10000000;
      static constexpr u32 kKinds[] = {0, 2, 4, 6, 8};
      const u32 kind = kKinds[below(5)];
      word = (word & ~0x01e00000U) | kind << 21 | (kind == 8 ? (random & 7) << 21 : 0);
      if (kind == 0) word &= ~0xfc00U;
      if (kind == 2) word = (word & ~0x410U) | 0x20000000;
      if (kind == 4) word &= ~0x20000800U;
      if (kind == 6) word = below(2) == 0 ? (word & ~0x601ff000U) | 0x40000000 : (word & ~0x6000c000U) | 0x2000;
      if (kind == 8) word &= ~0x60000000U;
    }
    return word;
  }
  // An instruction on vector registers; a general register that it writes is one of x0 … x15.
  u32 maybe_vectors() {
    const u32 random = static_cast<u32>(next() >> 16) & (below(4) == 0 ? ~0U : ~0x300U), type = random & 0x400000;
    const u32 fields = random & 0x1fffe0 & (below(4) == 0 ? ~0U : ~0x180000U);
    const u32 shape = random & 0x60000000, to = below(below(3) == 0 ? 16 : 8);
    switch (below(20)) {
      case 0:
      case 1:
        return 0x1e200800 | type | (fields & 0x1ff3e0) | to;  // two operands
      case 2:
        return 0x1f000000 | type | (random & 0x20ffe0) | to;  // multiply and add
      case 3:
        if (below(4) == 0) return 0x5e21d800 | type | (random & 0x3e0) | to;  // scvtf
        if (below(4) == 0) return 0xd53b4420 | to;                            // mrs x, fpsr
        return 0x1e204000 | type | (random & 0x1f83e0) | to;                  // one operand
      case 4:
        return 0x1e202000 | type | (fields & 0x1f03e0) | below(4) << 3;  // compare
      case 5:
        return 0x1e200400 | type | (fields & 0x1ffbe0) |
               (below(2) == 0 ? 0x800 | to : random & 0x1f);  // select, compare if
      case 6:
        return below(4) == 0
                   ? 0x1e201000 | type | (random & 0x1fe000) | to
                   : 0x1e200000 | (random & 0x80800000) | type | (random & 0x1f03e0) | to;  // constants, conversions
      case 7:
        return 0x0f000400 | shape | (random & 0x7ff3e0) | to;  // constants and shifts
      case 8:
        return 0x0e000400 | shape | (random & 0x1f7be0) | to;  // copies
      case 9: {                                                // accesses by elements
        const u32 single = 0x0d000000 | (random & 0x40400000) | 20U << 5 | below(32);
        const u32 more = below(2) == 0 ? 0 : 0x00800000 | (below(2) == 0 ? 31U : 21U) << 16;
        const u32 base = more != 0 ? single ^ (20U ^ 22U) << 5 : single;
        return below(2) == 0 ? base | more | (random & 0xdc00) : (base | more | (random & 0xfc00)) & ~0x01000000U;
      }
      case 10:
      case 11:
        return 0x0e200400 | shape | (random & 0xc00000) | (fields & 0x1ffbe0) | to;  // three operands
      case 12:
        return 0x0e200000 | shape | (random & 0xdff3e0) | to;  // of different widths
      case 13:
        return 0x0e200800 | shape | (random & 0xd1f3e0) | to;  // one operand
      case 14:
        return 0x0f000400 | shape | (random & 0x7ffbe0) | to;  // shifts
      case 15:
        return 0x0e000800 | (shape & 0x40000000) | (random & 0xdf73e0) | to;  // UZP, TRN, ZIP
      case 16:
        return (below(2) == 0 ? 0x2e000000 | (random & 0x7800) : 0x0e000000 | (random & 0x7000)) |
               (shape & 0x40000000) | (random & 0x1f03e0) | to;  // EXT, TBL, TBX
      case 17:
        return 0x4e284800 | (random & 0x33e0) | to;  // AES
      case 18:
        return below(2) == 0 ? 0x5e000400 | (random & 0x1f03e0) | to                          // one lane
                             : 0x5ee00400 | (shape & 0x20000000) | (random & 0x1ffbe0) | to;  // scalars
      default:
        return 0x5f400400 | (shape & 0x20000000) | (random & 0x3ffbe0) | to;  // shifts of scalars
    }
  }
  // An access of random size and kind. Many addresses are not aligned.
  u32 memory() {
    const u32 size = below(4), vector = below(4) == 0 ? 1U << 26 : 0;
    const u32 number = vector != 0 ? below(32) : to();
    const u32 operation = vector != 0 ? (size == 0 ? below(4) : below(2)) : below(size == 3 ? 2 : size == 2 ? 3 : 4);
    const u32 single = size << 30 | 0x38000000 | vector | operation << 22 | number;
    switch (below(8)) {
      case 0:
      case 1:
        return single | 1U << 24 | below(64) << 10 | 20U << 5;
      case 2:
        return single | below(512) << 12 | 20U << 5;
      case 3:
        return single | below(512) << 12 | 1U << 10 | 22U << 5;
      case 4:
        return single | below(512) << 12 | 3U << 10 | 22U << 5;
      case 5:
        return single | 1U << 21 | 21U << 16 | (2 | (below(2) * 4 + below(2))) << 13 | below(2) << 12 | 2U << 10 |
               20U << 5;
      case 6: {  // pairs
        const u32 second = (number + 1) % 16, mode = below(4), load = below(2) << 22;
        const bool sign = vector == 0 && load != 0 && mode != 0 && below(3) == 0;
        const u32 kind = vector != 0 ? below(3) << 30 : sign ? 1U << 30 : below(2) << 31;
        return kind | 0x28000000 | vector | mode << 23 | load | below(128) << 15 | second << 10 |
               (mode == 1 || mode == 3 ? 22U : 20U) << 5 | (number & 15);
      }
      case 7:
        if (below(2) == 0) return atomic();
        [[fallthrough]];
      default:
        return 0xf8008400 | 64U << 12 | 23U << 5 | number % 16 | below(2) << 22;  // str, ldr x, [x23], #64
    }
  }
  u32 atomic() {
    const u32 size = below(4), registers = to() << 16 | 20U << 5 | to(), order = below(4);
    if (below(8) == 0) return 0x38bfc000 | size << 30 | 20U << 5 | to();                                    // LDAPR
    if (below(3) == 0) return 0x08a07c00 | size << 30 | (order & 1) << 22 | (order & 2) << 14 | registers;  // CAS
    return 0x38200000 | size << 30 | order << 22 | below(9) << 12 | registers;
  }
  void only_for_unicorn(std::vector<u32>& code) {
    switch (below(4)) {
      case 0:
        code.push_back(0x5e280800 | below(32) << 5 | below(32));  // sha1h
        break;
      case 1:  // ldxr x1, [x20]; b; add x3, x3, #1; b; stxr w2, x1, [x20]
        code.insert(code.end(), {0xc85f7e81, 0x14000001, 0x91000463, 0x14000001, 0xc8027e81});
        break;
      case 2:  // ldaxr w1, [x20]; str w3, [x20]; dmb ish; sha1h s1, s2; stlxr w2, w4, [x20]
        code.insert(code.end(), {0x885ffe81, 0xb9000283, 0xd5033bbf, 0x5e280841, 0x8802fe84});
        break;
      default:  // ldxr x1, [x20]; b; clrex; ldar w4, [x20]; mrs x5, fpcr; b; stxr w2, x3, [x20]
        code.insert(code.end(), {0xc85f7e81, 0x14000001, 0xd5033f5f, 0x88dffe84, 0xd53b4405, 0x14000001, 0xc8027e83});
        break;
    }
  }
  // May jump over some instructions.
  void skip(std::vector<u32>& code) {
    const u32 over = 1 + below(4);
    const u32 random = static_cast<u32>(next() >> 16);
    switch (below(5)) {
      case 0:
        code.push_back(0x54000000 | (over + 1) << 5 | below(16));  // b.cond
        break;
      case 1:
        code.push_back(0x34000000 | (random & 0x81000000) | (over + 1) << 5 | to());  // cbz, cbnz
        break;
      case 2:
        code.push_back(0x36000000 | (random & 0x81f80000) | (over + 1) << 5 | to());  // tbz, tbnz
        break;
      case 3:  // calls the following code, which returns and then runs a second time
        code.insert(code.end(), {0x94000002, 0x14000003, 0x910005ef, 0xd65f03c0});  // bl, b, add x15, x15, #1, ret
        return;
      default:
        // adr x16, past a nop; br or blr x16
        code.insert(code.end(), {0x10000070, below(2) == 0 ? 0xd61f0200 : 0xd63f0200, 0xd503201f});
        return;
    }
    for (u32 i = 0; i < over; ++i) code.push_back(data());
  }

  u64 state_;
  OneCore scratch_{1 << 16, {}, one_way(false)};
};

// Each returns an empty text, or the first difference between the two.
inline std::string difference(const ThreadState& a, const ThreadState& b) {
  for (usize i = 0; i < 31; ++i)
    if (a.x[i] != b.x[i]) return "x" + std::to_string(i);
  if (a.sp != b.sp) return "sp";
  if (a.pc != b.pc) return "pc";
  if (a.nzcv != b.nzcv) return "flags";
  for (usize i = 0; i < 32; ++i)
    if (a.v[i] != b.v[i]) return "v" + std::to_string(i);
  return a.fpsr != b.fpsr ? "exceptions of floating-point operations" : "";
}
inline std::string difference(SignalCounts a, SignalCounts b) {
  for (usize signal = 0; signal < kSignalCount; ++signal) {
    for (const Level level : {Level::user, Level::kernel}) {
      const auto one = static_cast<Signal>(signal);
      if (a(level, one) != b(level, one)) return "signal " + std::to_string(signal);
    }
  }
  return {};
}
inline std::string difference(OneCore& a, OneCore& b) {
  if (std::string found = difference(a.thread, b.thread); !found.empty()) return found;
  if (std::string found = difference(a.engine.signals(), b.engine.signals()); !found.empty()) return found;
  const auto memory = [](OneCore& core) { return core.space.view(kData, core.space.regions().front().size); };
  const auto left = memory(a), right = memory(b);
  if (left.size() != right.size() || left.empty() || std::memcmp(left.data(), right.data(), left.size()) != 0) {
    return "memory";
  }
  return {};
}

// Two threads of a program on two cores, which take turns.
struct TwoCores : OneCore {
  explicit TwoCores(bool translates) : OneCore(1 << 18, {}, one_way(translates)), second(config(translates), shared) {}
  static CoreConfig config(bool translates) {
    CoreConfig config = one_way(translates);
    config.index = 1;
    return config;
  }
  Stop turn(u32 core, u64 slice) {
    return core == 0 ? engine.run(space, thread, slice) : second.run(space, other, slice);
  }
  CoreEngine second;
  ThreadState other;
};

inline std::string difference(TwoCores& a, TwoCores& b) {
  if (std::string found = difference(static_cast<OneCore&>(a), static_cast<OneCore&>(b)); !found.empty()) return found;
  if (std::string found = difference(a.other, b.other); !found.empty()) return found + " of the second";
  return difference(a.second.signals(), b.second.signals());
}

}  // namespace wperf::sim::test
