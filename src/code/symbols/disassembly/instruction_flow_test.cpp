// SPDX-License-Identifier: BSD-3-Clause
#include "code/symbols/disassembly/instruction_flow.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstring>
#include <initializer_list>
#include <random>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "code/symbols/disassembly/x64_flow.h"

namespace wperf::symbols {
namespace {

InstructionFlow arm64_flow(u32 word, u64 address) {
  std::byte code[sizeof word];
  std::memcpy(code, &word, sizeof word);
  return InstructionFlows().at(InstructionSet::arm64, code, address);
}

TEST(InstructionFlow, CallsComeBackAndJumpsDoNot) {
  EXPECT_TRUE(arm64_flow(0x14000002, 0x1000).ends_block);   // b
  EXPECT_FALSE(arm64_flow(0x94000002, 0x1000).ends_block);  // bl
  EXPECT_TRUE(arm64_flow(0xd61f0100, 0x1000).ends_block);   // br x8
  EXPECT_FALSE(arm64_flow(0xd63f0100, 0x1000).ends_block);  // blr x8
  EXPECT_TRUE(arm64_flow(0xd65f0fff, 0x1000).ends_block);   // retab
  EXPECT_TRUE(arm64_flow(0xd4200000, 0x1000).ends_block);   // brk #0
  EXPECT_FALSE(arm64_flow(0xd4000001, 0x1000).ends_block);  // svc #0
  EXPECT_EQ(arm64_flow(0x54ffffe1, 0x1000).target, 0xffcu);
  EXPECT_FALSE(arm64_flow(0xd61f0100, 0x1000).target.has_value());
  EXPECT_TRUE(arm64_flow(0x94000002, 0x1000).falls_through);   // bl
  EXPECT_TRUE(arm64_flow(0x54ffffe1, 0x1000).falls_through);   // b.ne
  EXPECT_FALSE(arm64_flow(0x14000002, 0x1000).falls_through);  // b
  EXPECT_FALSE(arm64_flow(0xd65f0fff, 0x1000).falls_through);  // retab
  EXPECT_FALSE(arm64_flow(0xd4200000, 0x1000).falls_through);  // brk #0
  EXPECT_TRUE(arm64_flow(0xd63f0100, 0x1000).is_branch);       // blr x8
  EXPECT_FALSE(arm64_flow(0xd4200000, 0x1000).is_branch);      // brk #0
  EXPECT_TRUE(arm64_flow(0xd71f0900, 0x1000).is_indirect);     // braa x8, x0
  EXPECT_FALSE(arm64_flow(0xd65f0fff, 0x1000).is_indirect);    // retab
  EXPECT_FALSE(arm64_flow(0xd63f0100, 0x1000).is_indirect);    // blr x8
}

TEST(InstructionFlow, NothingIsReadBehindTheEnd) {
  const std::byte code[3] = {};
  EXPECT_EQ(InstructionFlows().at(InstructionSet::arm64, code, 0).size, 0u);
  EXPECT_EQ(InstructionFlows().at(InstructionSet::arm64, {}, 0).size, 0u);
  EXPECT_EQ(InstructionFlows().at(InstructionSet::x64, {}, 0).size, 0u);
}

TEST(InstructionFlow, ItIsThatOfTheDisassembler) {
  auto decoder = make_decoder(InstructionSet::arm64);
  if (!decoder.has_value()) GTEST_SKIP() << decoder.error().text;
  const std::set<std::string_view> ends = {"b",      "cbz",    "cbnz", "tbz",   "tbnz",  "br",    "ret",
                                           "braa",   "braaz",  "brab", "brabz", "retaa", "retab", "eret",
                                           "eretaa", "eretab", "drps", "brk",   "udf"};
  constexpr u32 kGroups[] = {0x14000000, 0x94000000, 0x54000000, 0x34000000, 0xb4000000, 0x36000000,
                             0xd6000000, 0xd4000000, 0x91000000, 0xf9000000, 0x00000000, 0xd5000000};
  std::mt19937 random(1);
  Decoded decoded;
  u32 found = 0;
  for (u32 i = 0; i < 200'000; ++i) {
    const u32 word = kGroups[random() % std::size(kGroups)] | (random() & 0x01ffffff);
    std::byte code[sizeof word];
    std::memcpy(code, &word, sizeof word);
    if (!decoder.value()->decode(code, 0x10000, decoded)) continue;
    const bool ends_block = ends.contains(decoded.mnemonic) || decoded.mnemonic.starts_with("b.");
    ASSERT_EQ(arm64_flow(word, 0x10000).ends_block, ends_block) << std::hex << word << ' ' << decoded.mnemonic;
    found += ends_block ? 1 : 0;
  }
  EXPECT_GT(found, 10'000u);
}

TEST(InstructionFlow, X64HasJumpsOfAllKinds) {
  InstructionFlows flows;
  const auto flow = [&](std::initializer_list<u32> values) {
    std::vector<std::byte> code;
    for (const u32 value : values) code.push_back(static_cast<std::byte>(value));
    return flows.at(InstructionSet::x64, code, 0x1000);
  };
  const InstructionFlow jump = flow({0x74, 0x02});
  EXPECT_EQ(flow({0x06}).size, 0u) << "no instruction of 64-bit code";
  if (flows.error().has_value()) GTEST_SKIP() << flows.error()->text;
  EXPECT_TRUE(jump.ends_block);
  EXPECT_EQ(jump.target, 0x1004u);
  EXPECT_TRUE(flow({0xff, 0xe0}).ends_block);            // jmp rax
  EXPECT_TRUE(flow({0x3e, 0xff, 0xe0}).ends_block);      // notrack jmp rax
  EXPECT_TRUE(flow({0xc3}).ends_block);                  // ret
  EXPECT_TRUE(flow({0x0f, 0x0b}).ends_block);            // ud2
  EXPECT_FALSE(flow({0xe8, 0x10, 0, 0, 0}).ends_block);  // call
  EXPECT_FALSE(flow({0x48, 0x89, 0xe5}).ends_block);     // mov
}

void expect_same(std::span<const std::byte> code, u64 address, const Decoded& decoded, u64& compared) {
  const std::optional<InstructionFlow> flow = common_x64_flow(code, address);
  if (!flow.has_value()) return;
  ++compared;
  std::string bytes;
  for (usize i = 0; i < 15 && i < code.size(); ++i) bytes += fmt::format(" {:02x}", static_cast<u8>(code[i]));
  const std::string what = decoded.mnemonic + ' ' + decoded.operands + bytes;
  ASSERT_EQ(flow->size, decoded.size) << what;
  ASSERT_EQ(flow->target, decoded.target) << what;
  const std::string_view word = std::string_view(decoded.mnemonic).substr(decoded.mnemonic.rfind(' ') + 1);
  const bool ends_block = word.starts_with("j") || word.starts_with("ret") || word == "ud2" || word == "int3";
  ASSERT_EQ(flow->ends_block, ends_block) << what;
  const bool may_continue = !ends_block || (word.starts_with("j") && word != "jmp");
  ASSERT_EQ(flow->falls_through, may_continue) << what;
  ASSERT_EQ(flow->is_branch, word.starts_with("j") || word.starts_with("ret") || word == "call") << what;
  ASSERT_EQ(flow->is_indirect, word == "jmp" && !decoded.target.has_value()) << what;
}

TEST(InstructionFlow, CommonX64InstructionsNeedNoLibrary) {
  auto decoder = make_decoder(InstructionSet::x64);
  if (!decoder.has_value()) GTEST_SKIP() << decoder.error().text;
  constexpr u8 kPrefixes[] = {0x66, 0xf2, 0xf3, 0xf0, 0x3e, 0x48, 0x41, 0x4f, 0x0f};
  std::mt19937 random(1);
  std::byte code[20];
  u64 compared = 0;
  Decoded decoded;
  for (u32 i = 0; i < 400'000 && !HasFatalFailure(); ++i) {
    for (std::byte& byte : code) byte = static_cast<std::byte>(random());
    if (i % 2 == 0) code[0] = static_cast<std::byte>(kPrefixes[random() % std::size(kPrefixes)]);
    if (i % 4 == 0) code[1] = std::byte{0x0f};
    if (decoder.value()->decode(code, 0x10000, decoded)) expect_same(code, 0x10000, decoded, compared);
  }
  EXPECT_GT(compared, 100'000u);
}

#if defined(__x86_64__) && defined(__linux__)
extern "C" const char etext;

TEST(InstructionFlow, MostOfAProgramIsCommon) {
  auto decoder = make_decoder(InstructionSet::x64);
  if (!decoder.has_value()) GTEST_SKIP() << decoder.error().text;
  // The code of this test.
  const auto* const begin = reinterpret_cast<const std::byte*>(&expect_same);
  std::span<const std::byte> code(begin, reinterpret_cast<const std::byte*>(&etext));
  u64 compared = 0, all = 0;
  Decoded decoded;
  while (!code.empty() && all < 200'000 && !HasFatalFailure()) {
    if (!decoder.value()->decode(code, 0x10000, decoded)) break;
    expect_same(code, 0x10000, decoded, compared);
    code = code.subspan(decoded.size);
    ++all;
  }
  EXPECT_GT(all, 1000u);
  EXPECT_GT(compared * 10, all * 9);
}
#endif

}  // namespace
}  // namespace wperf::symbols
