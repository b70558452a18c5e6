// SPDX-License-Identifier: BSD-3-Clause
#include "driver/core/stack_walker.h"

#include <gtest/gtest.h>

#include <cstring>
#include <vector>

namespace wperf::driver {
namespace {

constexpr u64 kBase = 0x7000'0000;
constexpr u64 kCode = 0x7ff6'0000'1000;

// A stack of `words` words at kBase.
struct Stack {
  explicit Stack(usize words) : memory(words, 0) {}
  u64 address(usize word) const { return kBase + word * 8; }
  void record(usize at, u64 next, u64 caller) {
    memory[at] = next;
    memory[at + 1] = caller;
  }
  WalkedChain walk(u64 fp, u32 most = 127, CodeSpace space = CodeSpace::user) {
    frames.assign(most, 0);
    return walk_frame_records(fp, {kBase, kUserEnd}, space, frames.data(), most, [&](u64 at, u64(&out)[2]) {
      ++reads;
      if (at < kBase || at + 16 > kBase + memory.size() * 8) {
        return false;
      }
      std::memcpy(out, reinterpret_cast<const u8*>(memory.data()) + (at - kBase), 16);
      return true;
    });
  }
  std::vector<u64> memory, frames;
  u32 reads = 0;
};

// Records at every second word. Each points to the next; the last has a null pointer.
Stack chain_of(u32 depth) {
  Stack stack(depth * 2 + 2);
  for (u32 i = 0; i < depth; ++i) {
    stack.record(i * 2, i + 1 < depth ? stack.address(i * 2 + 2) : 0, kCode + i * 4);
  }
  return stack;
}

TEST(StackWalker, FollowsAChainToItsEnd) {
  Stack stack = chain_of(5);
  const WalkedChain chain = stack.walk(kBase);
  EXPECT_EQ(chain.frames, 5u);
  EXPECT_FALSE(chain.cut);
  for (u32 i = 0; i < 5; ++i) {
    EXPECT_EQ(stack.frames[i], kCode + i * 4);
  }
}

TEST(StackWalker, DeepRecursionIsMarkedTruncated) {
  Stack stack = chain_of(200);
  EXPECT_EQ(stack.walk(kBase).frames, 127u);
  EXPECT_TRUE(stack.walk(kBase).cut);
  Stack exact = chain_of(127);
  EXPECT_EQ(exact.walk(kBase).frames, 127u);
  EXPECT_FALSE(exact.walk(kBase).cut);
  EXPECT_EQ(stack.walk(kBase, 1).frames, 1u);
  EXPECT_EQ(stack.walk(kBase, 0).frames, 0u);
}

TEST(StackWalker, DamageEndsTheChain) {
  struct Case {
    const char* what;
    u64 next, caller;
    u32 frames;  // the first record's caller is valid in all of them
  };
  const Case cases[] = {
      {"a loop to itself", kBase, kCode, 1},
      {"back", kBase - 64, kCode, 1},
      {"half a record on", kBase + 8, kCode, 1},
      {"unaligned", kBase + 33, kCode, 1},
      {"into the kernel", 0xffff'8000'0000'1000, kCode, 1},
      {"at the end of the address space", ~u64{15}, kCode, 1},
      {"unmapped", kBase + 0x100'0000, kCode, 1},
      {"a caller in the kernel", kBase + 16, 0xffff'f800'0000'1000, 0},
      {"no caller", kBase + 16, 0, 0},
      {"a caller in the null page", kBase + 16, 0x10, 0},
  };
  for (const Case& it : cases) {
    Stack stack = chain_of(4);
    stack.record(0, it.next, it.caller);
    EXPECT_EQ(stack.walk(kBase).frames, it.frames) << it.what;
    EXPECT_FALSE(stack.walk(kBase).cut) << it.what;
  }
  Stack stack = chain_of(4);
  for (const u64 fp : {u64{0}, u64{1}, kBase + 4, kBase - 16, kUserEnd, kUserEnd - 8, ~u64{0}}) {
    EXPECT_EQ(stack.walk(fp).frames, 0u) << fp;
  }
}

TEST(StackWalker, TakesSignaturesAway) {
  EXPECT_EQ(return_address(0xab12'7ff6'0000'1000 & ~(u64{1} << 55), CodeSpace::user), 0x7ff6'0000'1000u);
  EXPECT_EQ(return_address(0x0080'f800'0000'1000, CodeSpace::kernel), 0xffff'f800'0000'1000u);
  EXPECT_EQ(return_address(0x0080'f800'0000'1000, CodeSpace::user), 0u);
  EXPECT_EQ(return_address(0x7ff6'0000'1000, CodeSpace::kernel), 0u);
}

TEST(StackWalker, AProgramsRecordsLieAboveItsStackPointerInItsThreadsStack) {
  const auto range = [](u64 sp, StackRange limits) {
    const StackRange found = user_stack_above(sp, limits);
    return std::pair(found.low, found.high);
  };
  const StackRange limits = {kBase, kBase + 0x800'0000};
  EXPECT_EQ(range(kBase + 64, limits), std::pair(kBase + 64, limits.high));
  EXPECT_EQ(range(kBase, limits), std::pair(kBase, limits.high));
  EXPECT_EQ(range(limits.high, limits), std::pair(limits.high, limits.high + kNearStack)) << "of a coroutine";
  EXPECT_EQ(range(kBase, {}), std::pair(kBase, kBase + kNearStack));
  EXPECT_EQ(range(0, {}), std::pair(u64{0}, kNearStack));
  EXPECT_EQ(range(kUserEnd - 16, {}), std::pair(kUserEnd - 16, kUserEnd));
  EXPECT_EQ(range(kBase, {0, ~u64{0}}), std::pair(kBase, kUserEnd)) << "a program may say anything";
  for (const u64 sp : {kUserEnd, ~u64{0}}) {
    EXPECT_EQ(range(sp, {0, ~u64{0}}), std::pair(kUserEnd, kUserEnd));
  }
}

TEST(StackWalker, NothingOutsideOfTheThreadsStackIsRead) {
  const u64 end = kBase + 0x1000;
  std::vector<u64> read;
  WalkedStack stack = {};
  const auto walk = [&](u64 fp, StackRange limits) {
    read.clear();
    walk_user_stack({fp, kBase, 127}, limits, stack, [&](u64 at, u64(&record)[2]) {
      read.push_back(at);
      record[0] = at + 0x800;
      record[1] = kCode;
      return true;
    });
    return stack.frames;
  };
  EXPECT_EQ(walk(kBase, {kBase, end}), 2u);
  EXPECT_EQ(read, (std::vector<u64>{kBase, kBase + 0x800}));
  EXPECT_EQ(walk(kBase - 16, {kBase, end}), 0u);
  EXPECT_EQ(walk(end, {kBase, end}), 0u);
  EXPECT_EQ(walk(kBase + kNearStack, {}), 0u);
  EXPECT_TRUE(read.empty());
  EXPECT_EQ(walk(kBase, {}), 127u);
  EXPECT_TRUE(stack.cut);
}

}  // namespace
}  // namespace wperf::driver
