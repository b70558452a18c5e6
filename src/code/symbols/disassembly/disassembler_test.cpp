// SPDX-License-Identifier: BSD-3-Clause
#include "code/symbols/disassembly/disassembler.h"

#include <gtest/gtest.h>

#include <initializer_list>
#include <string>

namespace wperf::symbols {
namespace {

constexpr u64 kBase = 0x180000000;

std::vector<std::byte> words(std::initializer_list<u32> values) {
  std::vector<std::byte> bytes;
  for (const u32 value : values) {
    for (u32 shift = 0; shift < 32; shift += 8) bytes.push_back(static_cast<std::byte>(value >> shift));
  }
  return bytes;
}

std::vector<std::byte> bytes_of(std::initializer_list<u32> values) {
  std::vector<std::byte> bytes;
  for (const u32 value : values) bytes.push_back(static_cast<std::byte>(value));
  return bytes;
}

std::vector<std::string> texts(const std::vector<Instruction>& instructions) {
  std::vector<std::string> out;
  for (const Instruction& instruction : instructions) {
    out.push_back(instruction.mnemonic + (instruction.operands.empty() ? "" : " ") + instruction.operands);
  }
  return out;
}

using Texts = std::vector<std::string>;

class disassembler : public ::testing::Test {
 protected:
  void SetUp() override {
#ifndef WPERF_HAS_CAPSTONE
    GTEST_SKIP() << "this build has no Capstone";
#endif
  }
  static std::vector<Instruction> run(InstructionSet set, const std::vector<std::byte>& code, u32 rva) {
    auto opened = Disassembler::open(set);
    EXPECT_TRUE(opened.has_value());
    return opened.value().disassemble(code, kBase, rva);
  }
};

TEST_F(disassembler, arm64_is_spelled_as_llvm_does) {
  const auto code = words({0xf9400028, 0x52800020, 0x9b007c20, 0xd65f03c0});
  const auto answer = run(InstructionSet::arm64, code, 0x1000);
  EXPECT_EQ(texts(answer), (Texts{"ldr x8, [x1]", "mov w0, #0x1", "mul x0, x1, x0", "ret"}));
  EXPECT_EQ(answer[3].rva, 0x100cu);
  EXPECT_EQ(answer[3].size, 4u);
}

TEST_F(disassembler, branches_know_where_they_go) {
  const auto code = words({0x54ffffe1, 0x94000002, 0xb4000040, 0x3607ffe0, 0xd61f0100});
  const auto answer = run(InstructionSet::arm64, code, 0x1000);
  ASSERT_EQ(answer.size(), 5u);
  EXPECT_EQ(answer[0].target, 0xffcu);
  EXPECT_EQ(answer[0].operands, "0x180000ffc");
  EXPECT_EQ(answer[1].target, 0x100cu);
  EXPECT_EQ(answer[2].target, 0x1010u);
  EXPECT_EQ(answer[3].target, 0x1008u);
  EXPECT_FALSE(answer[4].target.has_value());  // br x8
}

TEST_F(disassembler, a_target_outside_the_image_is_none) {
  const auto answer = run(InstructionSet::arm64, words({0x17ffffff}), 0);
  EXPECT_FALSE(answer[0].target.has_value());
}

TEST_F(disassembler, data_is_stepped_over) {
  auto code = words({0xffffffff, 0xd503201f});
  code.push_back(std::byte{0x12});
  code.push_back(std::byte{0x34});
  const auto answer = run(InstructionSet::arm64, code, 0x2000);
  EXPECT_EQ(texts(answer), (Texts{".word 0xffffffff", "nop", ".byte 0x12", ".byte 0x34"}));
  EXPECT_EQ(answer[3].rva, 0x2009u);
}

TEST_F(disassembler, newer_arm64_instructions_are_known) {
  const auto code = words({0x88e0fc41, 0xd503237f, 0xf8e00041, 0xd65f0fff});
  EXPECT_EQ(texts(run(InstructionSet::arm64, code, 0)),
            (Texts{"casal w0, w1, [x2]", "pacibsp", "ldaddal x0, x1, [x2]", "retab"}));
}

TEST_F(disassembler, x64_has_instructions_of_any_size) {
  const auto code = bytes_of({0x48, 0x89, 0xe5, 0x74, 0x02, 0xe8, 0x10, 0, 0, 0, 0xc3, 0x06, 0x90, 0x48});
  const auto answer = run(InstructionSet::x64, code, 0x1000);
  EXPECT_EQ(texts(answer),
            (Texts{"mov rbp, rsp", "je 0x180001007", "call 0x18000101a", "ret", ".byte 0x06", "nop", ".byte 0x48"}));
  EXPECT_EQ(answer[1].target, 0x1007u);
  EXPECT_EQ(answer[2].target, 0x101au);
}

TEST_F(disassembler, no_code_no_instructions) {
  EXPECT_TRUE(run(InstructionSet::x64, {}, 0).empty());
}

TEST(disassembler_without_library, says_so) {
#ifdef WPERF_HAS_CAPSTONE
  GTEST_SKIP() << "this build has Capstone";
#else
  const auto opened = Disassembler::open(InstructionSet::arm64);
  ASSERT_FALSE(opened.has_value());
  EXPECT_NE(opened.error().text.find("without the Capstone library"), std::string::npos);
#endif
}

}  // namespace
}  // namespace wperf::symbols
