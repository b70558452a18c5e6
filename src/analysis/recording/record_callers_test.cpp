// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/recording/record_callers.h"

#include <gtest/gtest.h>

#include "formats/spe/record_reader.h"
#include "formats/spe/spe_encoder.h"

namespace wperf::recording {
namespace {

using stacks::AddressKind;
using stacks::StackFrame;

class RecordCallersTest : public testing::Test {
 protected:
  std::vector<StackFrame> frames_of(u32 core, u64 ticks) {
    spe::SpeEncoder encoder;
    encoder.pc(0x5000).timestamp(ticks);
    spe::DecodeState state;
    std::vector<StackFrame> frames{{0x5000, AddressKind::user}};
    spe::for_each_record(std::as_bytes(std::span(encoder.bytes())), state,
                         [&](const spe::Record& record) { callers_.add_to(core, record, frames); });
    return frames;
  }

  RecordCallers callers_{{.stacks = {{0x100, 0x200}, {0x300}},
                          .records = {{.ticks = 10, .core = 0, .stack = 0},
                                      {.ticks = 10, .core = 0, .stack = 1, .replaces = true},
                                      {.ticks = 10, .core = 1, .stack = 1},
                                      {.ticks = 12, .core = 0, .stack = 1}}}};
};

TEST_F(RecordCallersTest, BelongToARecordOfTheirCoreAndTime) {
  EXPECT_TRUE(callers_.are_known());
  const std::vector<StackFrame> alone{{0x5000, AddressKind::user}};
  EXPECT_EQ(frames_of(0, 9), alone);
  EXPECT_EQ(frames_of(0, 10),
            (std::vector<StackFrame>{
                {0x5000, AddressKind::user}, {0x100, AddressKind::user, true}, {0x200, AddressKind::user, true}}));
  EXPECT_EQ(frames_of(0, 10), (std::vector<StackFrame>{{0x300, AddressKind::user}}))
      << "the second one of this time is code of the interpreter";
  EXPECT_EQ(frames_of(0, 10), alone) << "there are two";
  EXPECT_EQ(frames_of(0, 11), alone);
  EXPECT_EQ(frames_of(0, 12), (std::vector<StackFrame>{{0x5000, AddressKind::user}, {0x300, AddressKind::user, true}}));
  EXPECT_EQ(frames_of(1, 10), (std::vector<StackFrame>{{0x5000, AddressKind::user}, {0x300, AddressKind::user, true}}));
  EXPECT_EQ(frames_of(2, 10), alone);
}

// A damaged file may have an empty stack.
TEST_F(RecordCallersTest, AnEmptyStackReplacesNothing) {
  callers_ = RecordCallers({.stacks = {{}}, .records = {{.ticks = 10, .core = 0, .stack = 0, .replaces = true}}});
  EXPECT_EQ(frames_of(0, 10), (std::vector<StackFrame>{{0x5000, AddressKind::user}}));
}

TEST_F(RecordCallersTest, AreUnknownWithoutTheSection) {
  RecordCallers none{{}};
  EXPECT_FALSE(none.are_known());
}

}  // namespace
}  // namespace wperf::recording
