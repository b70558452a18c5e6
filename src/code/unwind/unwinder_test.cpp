// SPDX-License-Identifier: BSD-3-Clause
#include "code/unwind/unwinder.h"

#include <gtest/gtest.h>

#include "code/unwind/frame_builder_test.h"
#include "code/unwind/frame_expression.h"

namespace wperf::unwind {
namespace {

constexpr u64 kMovedBy = 0x10000;

struct Unwound {
  Ending ending;
  std::vector<u64> callers;
};

// The code is at 0x1000 to 0x3000 of the file.
Unwound unwind_with(const FrameBuilder& builder, Architecture architecture, const Registers& registers,
                    const StackCopy& stack, usize most_frames = 100) {
  FrameTable table(builder.sections());
  Unwound out{};
  const auto find = [&](u64 address) {
    const u64 linked = address - kMovedBy;
    return CodeAt{.row = table.row_at(linked),
                  .moved_by = kMovedBy,
                  .is_code = linked >= 0x1000 && linked < 0x3000,
                  .is_entry = linked >= 0x2100 && linked < 0x2110};
  };
  out.ending = unwind({architecture, registers}, stack, find, {.most_frames = most_frames}, out.callers);
  return out;
}

Registers x64(u64 pc, u64 frame_pointer = 0) {
  Registers out;
  out.set(16, kMovedBy + pc);
  out.set(7, TestStack::kAddress);
  out.set(6, frame_pointer);
  return out;
}

Registers arm(u64 pc, u64 link, u64 frame_pointer) {
  Registers out;
  out.set(32, kMovedBy + pc);
  out.set(31, TestStack::kAddress);
  out.set(30, link);
  out.set(29, frame_pointer);
  return out;
}

// A leaf function, a function with a frame of 16 bytes at 0x1100, and an outermost function at 0x1200.
FrameBuilder x64_code() {
  FrameBuilder builder;
  builder.common("zR", 16, {0x0c, 7, 8, 0x90, 1});
  builder.function(0x1000, 0x100, {});
  builder.function(0x1100, 0x100, {0x0e, 24});
  builder.function(0x1200, 0x100, {0x07, 16});
  return builder;
}

TEST(Unwinder, WalksToTheOutermostFunction) {
  const TestStack stack{{kMovedBy + 0x1150, 0, 0, kMovedBy + 0x1250}};
  const Unwound found = unwind_with(x64_code(), Architecture::x86_64, x64(0x1010), stack.copy());
  EXPECT_EQ(found.ending, Ending::outermost);
  EXPECT_EQ(found.callers, (std::vector<u64>{kMovedBy + 0x1150, kMovedBy + 0x1250}));
}

TEST(Unwinder, LooksForTheCallNotForWhatFollowsIt) {
  // The call is the last instruction of the function at 0x1100, so its return address is in the next function.
  const TestStack stack{{kMovedBy + 0x1200, 0, 0, kMovedBy + 0x1250}};
  const Unwound found = unwind_with(x64_code(), Architecture::x86_64, x64(0x1010), stack.copy());
  EXPECT_EQ(found.callers, (std::vector<u64>{kMovedBy + 0x1200, kMovedBy + 0x1250}));
}

TEST(Unwinder, TellsAShortCopyFromAStackThatEnds) {
  const TestStack stack{{kMovedBy + 0x1150, 0, 0}};
  EXPECT_EQ(unwind_with(x64_code(), Architecture::x86_64, x64(0x1010), stack.copy()).ending,
            Ending::stack_copy_too_short);
  EXPECT_EQ(unwind_with(x64_code(), Architecture::x86_64, x64(0x1010), stack.copy(true)).ending, Ending::damaged);
}

TEST(Unwinder, StopsAfterTheMostFrames) {
  const TestStack stack{{kMovedBy + 0x1150, 0, 0, kMovedBy + 0x1250}};
  const Unwound found = unwind_with(x64_code(), Architecture::x86_64, x64(0x1010), stack.copy(), 1);
  EXPECT_EQ(found.ending, Ending::too_many_frames);
  EXPECT_EQ(found.callers.size(), 1u);
}

TEST(Unwinder, AFrameBelowItsCalleesIsDamage) {
  FrameBuilder builder;
  builder.common("zR", 16, {0x0c, 6, 16, 0x90, 1});
  builder.function(0x1000, 0x100, {});
  const TestStack stack{{1, kMovedBy + 0x1050}};
  EXPECT_EQ(unwind_with(builder, Architecture::x86_64, x64(0x1010, TestStack::kAddress - 32), stack.copy()).ending,
            Ending::damaged);
}

TEST(Unwinder, GoesOnByFramePointersWhereNothingIsSaid) {
  // 0x2000 has no entry. rbp leads to its frame at index 2; the caller is at 0x1250.
  const TestStack stack{{7, 7, 0, kMovedBy + 0x1250}};
  const Unwound found = unwind_with(x64_code(), Architecture::x86_64, x64(0x2010, TestStack::at(2)), stack.copy());
  EXPECT_EQ(found.ending, Ending::outermost);
  EXPECT_EQ(found.callers, (std::vector<u64>{kMovedBy + 0x1250}));
}

TEST(Unwinder, EndsWhereTheProgramBegins) {
  // 0x2100 has no entry in the table, but the file's program begins there with a frame pointer of 0.
  const TestStack stack{{kMovedBy + 0x2108, 1, 2, 3}};
  for (const auto& [frame_pointer, ending] :
       {std::pair(u64{0}, Ending::outermost), std::pair(u64{7}, Ending::no_table)}) {
    const Unwound found = unwind_with(x64_code(), Architecture::x86_64, x64(0x1010, frame_pointer), stack.copy());
    EXPECT_EQ(found.ending, ending);
    EXPECT_EQ(found.callers, (std::vector<u64>{kMovedBy + 0x2108}));
  }
}

TEST(Unwinder, DoesNotBelieveAnyFramePointer) {
  const TestStack stack{{7, 7, 0, 0x123456789}};
  for (const u64 pointer :
       {u64{0}, TestStack::at(2) + 1, TestStack::kAddress - 16, TestStack::at(3), TestStack::at(2)}) {
    const Unwound found = unwind_with(x64_code(), Architecture::x86_64, x64(0x2010, pointer), stack.copy());
    EXPECT_EQ(found.ending, Ending::no_table) << pointer;
    EXPECT_TRUE(found.callers.empty());
  }
}

TEST(Unwinder, PassesSignalFrames) {
  FrameBuilder builder = x64_code();
  builder.common("zRS", 16, {0x0c, 7, 0});
  // rsp and the return address are 16 and 24 above the stack pointer of the handler's caller.
  builder.function(0x1300, 0x10, {0x16, 7, 3, 0x77, 16, 0x06, 0x10, 16, 2, 0x77, 24});
  const TestStack stack{{kMovedBy + 0x1301, 0, 0, TestStack::at(6), kMovedBy + 0x1100, 0, 0, 0, kMovedBy + 0x1250}};
  const Unwound found = unwind_with(builder, Architecture::x86_64, x64(0x1010), stack.copy());
  EXPECT_EQ(found.ending, Ending::outermost);
  // The first instruction of 0x1100 was interrupted, and the handler returns to 0x1301 without a call. So these
  // addresses count, not the bytes before them.
  EXPECT_EQ(found.callers, (std::vector<u64>{kMovedBy + 0x1302, kMovedBy + 0x1101, kMovedBy + 0x1250}));
}

FrameBuilder arm_code() {
  FrameBuilder builder;
  builder.common("zR", 30, {0x0c, 31, 0});
  builder.function(0x1000, 0x100, {});
  builder.function(0x1100, 0x100, {0x0e, 16, 0x9d, 2, 0x9e, 1});
  builder.function(0x1200, 0x100, {0x07, 30});
  return builder;
}

TEST(Unwinder, ArmLeavesTheReturnAddressInItsRegister) {
  constexpr u64 kSignature = u64{0x2a7f} << 48;
  const TestStack stack{{0, kSignature | (kMovedBy + 0x1250)}};
  const Unwound found = unwind_with(arm_code(), Architecture::aarch64, arm(0x1010, kMovedBy + 0x1150, 0), stack.copy());
  EXPECT_EQ(found.ending, Ending::outermost);
  EXPECT_EQ(found.callers, (std::vector<u64>{kMovedBy + 0x1150, kMovedBy + 0x1250})) << "without the signature";
}

TEST(Unwinder, ArmFramePointersBeginWithTheLinkRegister) {
  const TestStack stack{{0, 0, 0, kMovedBy + 0x1250}};
  const Unwound found =
      unwind_with(arm_code(), Architecture::aarch64, arm(0x2010, kMovedBy + 0x2100, TestStack::at(2)), stack.copy());
  EXPECT_EQ(found.ending, Ending::outermost);
  EXPECT_EQ(found.callers, (std::vector<u64>{kMovedBy + 0x2100, kMovedBy + 0x1250}));
}

TEST(Unwinder, NeedsWhereTheProgramIs) {
  Registers registers;
  registers.set(16, 1);
  EXPECT_EQ(unwind_with(x64_code(), Architecture::x86_64, registers, TestStack{}.copy()).ending, Ending::damaged);
}

std::optional<u64> value_of(const CodeBytes& expression, const TestStack& stack = {}) {
  Registers registers;
  registers.set(7, TestStack::kAddress);
  registers.set(16, 0x101b);
  const StackCopy copy = stack.copy();
  std::optional<u64> beyond;
  return evaluate(std::as_bytes(std::span(expression)), {registers, copy, 0, u64{100}}, beyond);
}

TEST(FrameExpression, Computes) {
  // The linker's expression for .plt stubs: the CFA is 8 or 16 above rsp, depending on the position in the stub.
  EXPECT_EQ(value_of({0x77, 8, 0x80, 0, 0x3f, 0x1a, 0x3b, 0x2a, 0x33, 0x24, 0x22}), TestStack::kAddress + 16);
  EXPECT_EQ(value_of({0x23, 5}), 105u);
  EXPECT_EQ(value_of({0x0b, 0xfe, 0xff, 0x22}), 98u);
  EXPECT_EQ(value_of({0x32, 0x1b}), 50u);
  EXPECT_EQ(value_of({0x12, 0x1c, 0x31, 0x16}), 0u);
  EXPECT_EQ(value_of({0x31, 0x28, 1, 0, 0x3f, 0x96}), 100u) << "a branch over one operation";
  EXPECT_EQ(value_of({0x77, 8, 0x06}, {{1, 77}}), 77u);
  EXPECT_EQ(value_of({0x77, 8, 0x94, 2}, {{1, 0x12345}}), 0x2345u);
}

TEST(FrameExpression, DamagedExpressionHasNoValue) {
  EXPECT_EQ(value_of({0x13, 0x13}), std::nullopt) << "nothing left to drop";
  EXPECT_EQ(value_of({0x30, 0x1b}), std::nullopt) << "division by zero";
  EXPECT_EQ(value_of({0x2f, 0xfd, 0xff}), std::nullopt) << "around for ever";
  EXPECT_EQ(value_of({0x0e, 1}), std::nullopt) << "cut";
  EXPECT_EQ(value_of({0x77, 8, 0x06}), std::nullopt) << "not in the copy";
  EXPECT_EQ(value_of({0x71, 0}), std::nullopt) << "a register that is not known";
  EXPECT_EQ(value_of({0xf0}), std::nullopt) << "unknown";
  EXPECT_EQ(value_of(CodeBytes(70, 0x12)), std::nullopt) << "too deep";
}

}  // namespace
}  // namespace wperf::unwind
