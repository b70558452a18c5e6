// SPDX-License-Identifier: BSD-3-Clause
// Translated code must leave the same state as Unicorn with hooks: registers, memory, and every signal, which depends
// on the state of the models.
#include "sim/cpu/translator.h"

#include <gtest/gtest.h>

#include <cstdio>

#include "sim/cpu/core_model.h"
#include "sim/cpu/random_programs.h"

namespace wperf::sim {
namespace {

using test::difference;
using test::kCode;
using test::kData;
using test::one_way;
using test::OneCore;
using test::RandomPrograms;
using test::TwoCores;

class TranslatorTest : public testing::Test {
 protected:
  void SetUp() override {
    CoreModel model({}, shared_.shared);
    BlockCache blocks;
    if (Translator::create(model, blocks, true) == nullptr) GTEST_SKIP() << "there is no translator for this host";
  }

 private:
  OneCore shared_;
};

constexpr u32 kOnTheWay = 7;  // the call after which random programs continue

constexpr EventWatch kWatches[] = {{0x06, 90000}, {0x40, 30000}, {0x11, 50000},
                                   {0x03, 5000},  {0x10, 4000},  {0x08, 180000}};

// Runs both to the end of the program, in slices, with or without a watched event.
void run_both(OneCore& translated, OneCore& plain, u64 slice, u32 watched, const std::string& what) {
  for (int turns = 0; turns < 200'000; ++turns) {
    const std::span<const EventWatch> watches{kWatches + watched % std::size(kWatches), watched % 3 == 0 ? 0U : 1U};
    const Stop a = translated.engine.run(translated.space, translated.thread, slice, watches);
    const Stop b = plain.engine.run(plain.space, plain.thread, slice, watches);
    ASSERT_EQ(a.reason, b.reason) << what << ": " << a.text << " / " << b.text;
    ASSERT_EQ(a.text, b.text) << what;
    ASSERT_EQ(a.immediate, b.immediate) << what;
    ASSERT_EQ(a.fault_address, b.fault_address) << what;
    ASSERT_EQ(a.overflowed, b.overflowed) << what;
    ASSERT_EQ(a.overflow_pc, b.overflow_pc) << what;
    ASSERT_EQ(a.overflow_lr, b.overflow_lr) << what;
    ASSERT_EQ(a.overflow_fp, b.overflow_fp) << what;
    ASSERT_EQ(difference(translated, plain), "") << what;
    const bool on_the_way = a.reason == StopReason::kernel_call && a.immediate == kOnTheWay;
    if ((a.reason == StopReason::kernel_call && !on_the_way) || a.reason == StopReason::fault) return;
  }
}

TEST_F(TranslatorTest, RandomProgramsDoTheSameWithIt) {
  RandomPrograms random(88172645463325252);
  OneCore translated(1 << 18, {}, one_way(true)), plain(1 << 18, {}, one_way(false));
  u32 faults = 0;
  for (u32 round = 0; round < 250; ++round) {
    const std::vector<u32> code = random.program(8 + random.below(60));
    const u32 rounds = 200 + random.below(1500);
    for (OneCore* core : {&translated, &plain}) {
      core->thread = {};
      RandomPrograms::prepare(*core, rounds);
      core->load(code);
    }
    const u64 slice = random.below(2) == 0 ? ~u64{0} : 500 + random.below(20000);
    run_both(translated, plain, slice, random.below(64), "program " + std::to_string(round));
    if (HasFatalFailure()) return;
    const bool fault = translated.thread.pc < kCode + code.size() * 4;
    faults += u32{fault};
  }
  EXPECT_LT(faults, 100U) << "most programs come to their end";
  EXPECT_GT(translated.engine.translated_cycles(), translated.engine.cycles() / 4) << "or nothing was compared";
  EXPECT_EQ(plain.engine.translated_cycles(), 0U);
}

// One instruction at a time, with random registers and with extreme ones.
TEST_F(TranslatorTest, VectorInstructionsDoTheSameWithIt) {
  RandomPrograms random(2862933555777941757);
  OneCore translated(1 << 18, {}, one_way(true)), plain(1 << 18, {}, one_way(false));
  for (u32 round = 0; round < 10000; ++round) {
    const u32 code[] = {random.vectors(), 0x14000001, 0xd4000001};  // the instruction; b; svc
    ThreadState start;
    for (auto& one : start.v) one = {random.next(), random.next()};
    constexpr u64 kExtremes[] = {0, ~u64{0}, 0x8000000080008080, 0x7fffffffffffffff, 0x0706050403020100};
    for (u32 i = 0; i < 8; ++i) start.v[random.below(8)][i % 2] = kExtremes[random.below(5)];
    start.x[20] = kData + 0x8000;
    start.x[21] = 0x123;
    start.x[22] = kData + 0x8030;
    for (OneCore* core : {&translated, &plain}) {
      core->thread = start;
      core->load(code);
    }
    char name[16];
    std::snprintf(name, sizeof name, "%08x", code[0]);
    run_both(translated, plain, ~u64{0}, 0, name);
    if (HasFatalFailure()) return;
  }
  EXPECT_GT(translated.engine.translated_cycles(), translated.engine.cycles() / 4) << "or nothing was compared";
}

TEST_F(TranslatorTest, TestProgramsDoTheSameWithIt) {
  struct Loop {
    const char* name;
    std::span<const u32> code;
    u64 x0, x1;
  };
  const Loop loops[] = {{"alu", test::kAlu, 20000, 0},          {"increment", test::kIncrement, 20000, kData},
                        {"triad", test::kTriad, 20000, kData},  {"branchy", test::kBranchy, 20000, kData},
                        {"chase", test::kChase, kData, 20000},  {"multiply", test::kMultiply, 60, kData},
                        {"fibonacci", test::kFibonacci, 16, 0}, {"vectors", test::kVectors, 5000, kData},
                        {"gather", test::kGather, 60, kData},   {"links", test::kLinks, 3000, kData}};
  for (const Loop& loop : loops) {
    for (const u64 slice : {~u64{0}, u64{7001}, u64{1500}}) {
      for (u32 watched = 0; watched < 6; ++watched) {
        OneCore translated(1 << 20, {}, one_way(true)), plain(1 << 20, {}, one_way(false));
        for (OneCore* core : {&translated, &plain}) {
          if (std::string(loop.name) == "chase") core->make_ring(1 << 18);
          core->load(loop.code);
          core->thread.x[0] = loop.x0;
          core->thread.x[1] = loop.x1;
          core->thread.x[2] = kData + 0x40000;
          core->thread.x[3] = kData + 0x80000;
        }
        run_both(translated, plain, slice, watched, loop.name);
        if (HasFatalFailure()) return;
      }
    }
  }
}

// Each thread uses the lines that the other thread writes.
TEST_F(TranslatorTest, ThreadsOnTwoCoresDoTheSameWithIt) {
  RandomPrograms random(3935559000370003845);
  TwoCores translated(true), plain(false);
  for (TwoCores* cores : {&translated, &plain}) cores->shared.make_coherent(cores->space.id());
  for (u32 round = 0; round < 60; ++round) {
    const std::vector<u32> code = random.program(8 + random.below(60));
    const u32 rounds = 100 + random.below(300), apart = random.below(2) * 8;
    for (TwoCores* cores : {&translated, &plain}) {
      cores->thread = {};
      RandomPrograms::prepare(*cores, rounds);
      cores->load(code);
      cores->other = cores->thread;
      cores->other.x[20] += apart;
    }
    const u64 slice = random.below(4) == 0 ? 2000 : 32;
    std::array<bool, 2> runs = {true, true};
    for (u32 turn = 0; turn < 200'000 && (runs[0] || runs[1]); ++turn) {
      const u32 core = turn % 2;
      if (!runs[core]) continue;
      const Stop a = translated.turn(core, slice), b = plain.turn(core, slice);
      const std::string where = "program " + std::to_string(round) + ", turn " + std::to_string(turn);
      ASSERT_EQ(a.reason, b.reason) << where << ": " << a.text << " / " << b.text;
      ASSERT_EQ(a.text, b.text) << where;
      ASSERT_EQ(difference(translated, plain), "") << where;
      runs[core] = a.reason == StopReason::budget || (a.reason == StopReason::kernel_call && a.immediate == kOnTheWay);
    }
  }
  for (const CoreEngine* engine : {&translated.engine, &translated.second}) {
    EXPECT_GT(engine->translated_cycles(), engine->cycles() / 4) << "or nothing was compared";
  }
}

// A loop that stores to ever higher addresses until a store is forbidden.
TEST_F(TranslatorTest, FaultsAreThoseOfUnicorn) {
  for (const u32 access : {0xf8008c20U, 0xf8408c20U, 0xa9810c22U, 0xa9c10c22U, 0x3c810c20U, 0xf8003c20U}) {
    const u32 code[] = {0x91000484, access, 0x910004a5, 0xf1000400, 0x54ffff81, 0xd4000001};
    for (const u32 permissions : {0U, u32{kRead}, u32{kExecute}, kRead | kWrite | kExecute}) {
      for (const u64 offset : {0U, 4U, 13U}) {
        OneCore translated(1 << 16, {}, one_way(true)), plain(1 << 16, {}, one_way(false));
        for (OneCore* core : {&translated, &plain}) {
          if (permissions != 0) core->space.map(kData + (1 << 16), 1 << 14, permissions);
          core->load(code);
          core->thread.x[0] = 50000;
          core->thread.x[1] = kData + offset;
        }
        run_both(translated, plain, ~u64{0}, 0, "access " + std::to_string(access));
        if (HasFatalFailure()) return;
        EXPECT_GT(translated.engine.translated_cycles(), 0U);
      }
    }
  }
}

// The result equals Unicorn's even if the block before the jump has used up the budget.
TEST_F(TranslatorTest, JumpsToMemoryThatIsNotCodeAreThoseOfUnicorn) {
  const u32 code[] = {0x91000421, 0x14400000};  // add x1, x1, #1; b over 16 MiB
  for (const u64 slice : {u64{1}, u64{32}, ~u64{0}}) {
    OneCore translated(1 << 16, {}, one_way(true)), plain(1 << 16, {}, one_way(false));
    for (OneCore* core : {&translated, &plain}) core->load(code);
    run_both(translated, plain, slice, 0, "slice " + std::to_string(slice));
    if (HasFatalFailure()) return;
    EXPECT_GT(translated.engine.translated_cycles(), 0U);
  }
}

// The code, or the memory that it uses, differs in the next slice.
TEST_F(TranslatorTest, ChangesBetweenSlicesAreSeen) {
  OneCore translated(1 << 16, {}, one_way(true)), plain(1 << 16, {}, one_way(false));
  for (OneCore* core : {&translated, &plain}) {
    core->load(test::kIncrement);
    core->thread.x[0] = 100000;
  }
  for (u32 turn = 0; turn < 12; ++turn) {
    for (OneCore* core : {&translated, &plain}) {
      EXPECT_EQ(core->engine.run(core->space, core->thread, 5000).reason, StopReason::budget);
      const u32 add = 0x91000442 | turn << 10;  // add x2, x2, #turn
      if (turn % 3 == 0) core->space.write(kCode + 4, &add, sizeof add);
      if (turn % 3 == 1) core->space.map(kData + (1 << 20) * (turn + 1), 1 << 14, kRead);
      if (turn % 3 == 2) {  // the data is mapped at another place
        core->space.unmap(kData);
        core->space.map(kData, 1 << 16, kRead | kWrite);
      }
    }
    ASSERT_EQ(difference(translated, plain), "") << turn;
  }
  EXPECT_GT(translated.engine.translated_cycles(), translated.engine.cycles() / 2);
}

// A loop on one page calls a function on a second page, which may continue on a third page. Only some of the pages
// change.
TEST_F(TranslatorTest, ChangedPagesAreSeenFromOthers) {
  constexpr u32 kLoop[] = {0x94000400, 0xf1000400, 0x54ffffc1, 0xd4000001};  // 1: bl 2f; subs x0, x0, #1; b.ne 1b; svc
  constexpr u32 kReturn = 0xd65f03c0, kOnward = 0x140003ff;                  // ret; b to the third page
  OneCore translated(1 << 16, {}, one_way(true)), plain(1 << 16, {}, one_way(false));
  for (OneCore* core : {&translated, &plain}) {
    const u32 second[] = {0x91000442, kReturn}, third[] = {0x91000463, kReturn};  // add x2, …; add x3, x3, #1
    core->space.write(kCode + 0x1000, second, sizeof second);
    core->space.write(kCode + 0x2000, third, sizeof third);
    core->load(kLoop);
    core->thread.x[0] = 1'000'000;
  }
  for (u32 turn = 0; turn < 24; ++turn) {
    for (OneCore* core : {&translated, &plain}) {
      EXPECT_EQ(core->engine.run(core->space, core->thread, 5000).reason, StopReason::budget);
      const u32 add = 0x91000442 | turn << 10, next = turn % 8 == 1 ? kOnward : kReturn;  // add x2, x2, #turn
      if (turn % 4 == 0) core->space.write(kCode + 0x1000, &add, sizeof add);
      if (turn % 4 == 1) core->space.write(kCode + 0x1004, &next, sizeof next);
      if (turn % 4 == 2) {
        for (u32 i = 0; i < 1000 * (turn % 8 / 4); ++i) core->space.code_written(kCode + 0x8000, 4);
        core->space.write(kCode + 0x2000, &add, sizeof add);
      }
      if (turn % 4 == 3) {
        core->space.protect(kCode, 0x10000, kRead);
        EXPECT_EQ(core->engine.run(core->space, core->thread, 5000).reason, StopReason::fault);
        core->space.protect(kCode, 0x10000, kRead | kExecute);
      }
    }
    ASSERT_EQ(difference(translated, plain), "") << turn;
  }
  EXPECT_GT(translated.thread.x[3], 0U);
  EXPECT_GT(translated.engine.translated_cycles(), translated.engine.cycles() / 2);
}

// Code in writable memory, which changes itself in a loop; later it changes too often to be translated.
TEST_F(TranslatorTest, ProgramsThatChangeTheirOwnCodeDoTheSameWithIt) {
  constexpr u64 kOwn = 0x10000;
  constexpr u32 kProgram[] = {
      0x91000442,  // 1: add x2, x2, #1: its number changes in each round
      0xf1000400,  // subs x0, x0, #1
      0x54ffffc1,  // b.ne 1b
      0x11400463,  // add w3, w3, #1, lsl #12
      0xb9000023,  // str w3, [x1]
      0xd2800660,  // mov x0, #51
      0xf1000484,  // subs x4, x4, #1
      0x54ffff21,  // b.ne 1b
      0xd4000001,  // svc #0
  };
  OneCore translated(1 << 16, {}, one_way(true)), plain(1 << 16, {}, one_way(false));
  for (OneCore* core : {&translated, &plain}) {
    core->space.map(kOwn, 0x1000, kRead | kWrite | kExecute);
    core->space.write(kOwn, kProgram, sizeof kProgram);
    core->thread.pc = kOwn;
    core->thread.x[0] = 51;
    core->thread.x[1] = kOwn;
    core->thread.x[3] = 0x91000442;
    core->thread.x[4] = 200;
  }
  run_both(translated, plain, 3000, 0, "one core");
  EXPECT_EQ(plain.thread.x[4], 0U);
  EXPECT_FALSE(translated.space.rarely_changes(kOwn));
  EXPECT_GT(translated.engine.translated_cycles(), 100U);
}

// One core executes a function in writable memory that the other core rewrites.
TEST_F(TranslatorTest, CodeThatAnotherCoreWroteIsSeen) {
  constexpr u64 kShared = 0x10000, kWriter = kCode + 0x1000;
  constexpr u32 kFunction[] = {0x91000442, 0xd65f03c0};  // add x2, x2, #1; ret
  constexpr u32 kCaller[] = {0xd63f0020, 0xf1000400, 0x54ffffc1,
                             0xd4000001};              // 1: blr x1; subs x0, x0, #1; b.ne 1b; svc
  constexpr u32 kStores[] = {0xb9000023, 0xd4000021};  // str w3, [x1]; svc #1
  TwoCores translated(true), plain(false);
  for (TwoCores* cores : {&translated, &plain}) {
    cores->shared.make_coherent(cores->space.id());
    cores->space.map(kShared, 0x1000, kRead | kWrite | kExecute);
    cores->space.write(kShared, kFunction, sizeof kFunction);
    cores->space.write(kWriter, kStores, sizeof kStores);
    cores->load(kCaller);
    cores->thread.x[0] = 1'000'000;
    cores->thread.x[1] = cores->other.x[1] = kShared;
  }
  u64 before = 0;
  for (u32 round = 0; round < 8; ++round) {
    for (TwoCores* cores : {&translated, &plain}) {
      EXPECT_EQ(cores->turn(0, 3000).reason, StopReason::budget);
      cores->other.pc = kWriter;
      cores->other.x[3] = 0x91000042 | round << 10;  // add x2, x2, #round
      EXPECT_EQ(cores->turn(1, 1000).immediate, 1U);
    }
    ASSERT_EQ(difference(translated, plain), "") << round;
    EXPECT_GT(translated.thread.x[2], before) << round;
    before = translated.thread.x[2] - u64{round == 0};
    EXPECT_EQ(translated.space.rarely_changes(kShared), true);
  }
  EXPECT_GT(translated.engine.translated_cycles(), translated.engine.cycles() / 2);
}

}  // namespace
}  // namespace wperf::sim
