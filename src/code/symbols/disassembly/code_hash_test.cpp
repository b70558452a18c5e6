// SPDX-License-Identifier: BSD-3-Clause
#include "code/symbols/disassembly/code_hash.h"

#include <gtest/gtest.h>

#include <initializer_list>
#include <vector>

namespace wperf::symbols {
namespace {

std::vector<std::byte> code_of_words(std::initializer_list<u32> words) {
  std::vector<std::byte> bytes;
  for (const u32 word : words) {
    for (u32 i = 0; i < 4; ++i) bytes.push_back(static_cast<std::byte>(word >> 8 * i));
  }
  return bytes;
}

u64 arm64(std::initializer_list<u32> words) {
  const std::vector<std::byte> bytes = code_of_words(words);
  return code_hash({.instructions = InstructionSet::arm64, .bytes = bytes}).value();
}

// A loop that reads a table of the image and makes a call: ADRP, rest of the address, call, load from that page, jump
// back.
TEST(CodeHash, Arm64WithoutWhereThingsAre) {
  const u64 here = arm64(
      {0x90000008, 0x91004108, 0x94000100, 0xb0000009, 0xf9400529, 0x8b090108, 0xf1000421, 0x54ffff61, 0xd65f03c0});
  const u64 elsewhere = arm64(
      {0xf0000148, 0x91020108, 0x97ffff00, 0x90000889, 0xf9418929, 0x8b090108, 0xf1000421, 0x54ffff61, 0xd65f03c0});
  EXPECT_EQ(here, elsewhere);
  // Code with another constant, another jump within the function or another offset into an object is different.
  EXPECT_NE(here, arm64({0x90000008, 0x91004108, 0x94000100, 0xb0000009, 0xf9400529, 0x8b090108, 0xf1000821, 0x54ffff61,
                         0xd65f03c0}));
  EXPECT_NE(here, arm64({0x90000008, 0x91004108, 0x94000100, 0xb0000009, 0xf9400529, 0x8b090108, 0xf1000421, 0x54ffff81,
                         0xd65f03c0}));
  const auto reads_at = [](u32 load) {
    return arm64({load, 0x8b090108, 0x8b090108, 0x8b090108, 0x8b090108, 0x8b090108, 0x8b090108, 0xd65f03c0});
  };
  EXPECT_NE(reads_at(0xf9400529), reads_at(0xf9400929));
}

TEST(CodeHash, CallInvalidatesRegisterValues) {
  const auto loads = [](u32 load) {
    return arm64({0x90000008, 0x94000100, load, 0x8b090108, 0x8b090108, 0x8b090108, 0x8b090108, 0xd65f03c0});
  };
  EXPECT_NE(loads(0xf9400509), loads(0xf9400909));
}

TEST(CodeHash, ShortCodeTellsNothing) {
  EXPECT_EQ(arm64({0xf9400400, 0xd65f03c0}), 0u);
}

std::vector<std::byte> x64_code(u32 call, u32 data, u8 jump, u8 added, u32 absolute) {
  std::vector<std::byte> code;
  const auto add = [&](std::initializer_list<int> more) {
    for (const int one : more) code.push_back(static_cast<std::byte>(one));
  };
  const auto add_word = [&](u32 word) {
    for (u32 i = 0; i < 4; ++i) code.push_back(static_cast<std::byte>(word >> 8 * i));
  };
  add({0xe8});  // call
  add_word(call);
  add({0x48, 0x8d, 0x05});  // lea rax, [rip + data]
  add_word(data);
  add({0xbf});  // mov edi, absolute
  add_word(absolute);
  add({0x83, 0xc0, added});                         // add eax, added
  add({0x39, 0xd8, 0x75, jump});                    // cmp eax, ebx; jne within
  add({0x48, 0x8b, 0x47, 0x18, 0x48, 0x8b, 0x07});  // mov rax, [rdi + 24]; mov rax, [rdi]
  add({0x90, 0xc3});
  return code;
}

TEST(CodeHash, X64WithoutWhereThingsAre) {
  const auto hash_at = [](u64 address, const std::vector<std::byte>& code) {
    return code_hash({.instructions = InstructionSet::x64,
                      .bytes = code,
                      .address = address,
                      .image_begin = 0x400000,
                      .image_end = 0x480000});
  };
  const auto here = hash_at(0x401000, x64_code(0x1000, 0x2000, 0xf0, 5, 0x402010));
  if (!here.has_value()) GTEST_SKIP() << here.error().text;
  EXPECT_NE(here.value(), 0u);
  EXPECT_EQ(here.value(), hash_at(0x405010, x64_code(0x1234, 0x777, 0xf0, 5, 0x403000)).value());
  EXPECT_NE(here.value(), hash_at(0x401000, x64_code(0x1000, 0x2000, 0xf0, 6, 0x402010)).value());
  EXPECT_NE(here.value(), hash_at(0x401000, x64_code(0x1000, 0x2000, 0xf3, 5, 0x402010)).value());
  // A number that is not an address within the file is part of the hash.
  EXPECT_NE(hash_at(0x401000, x64_code(0x1000, 0x2000, 0xf0, 5, 100)).value(),
            hash_at(0x401000, x64_code(0x1000, 0x2000, 0xf0, 5, 200)).value());
}

}  // namespace
}  // namespace wperf::symbols
