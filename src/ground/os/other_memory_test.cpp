// SPDX-License-Identifier: BSD-3-Clause
#include "ground/os/other_memory.h"

#include <gtest/gtest.h>

#include <array>

#include "ground/os/process.h"

namespace wperf::os {
namespace {

MemoryPiece piece_from(const void* from, std::span<std::byte> to) {
  return {static_cast<u64>(reinterpret_cast<std::uintptr_t>(from)), to};
}

// This process plays the other one.
TEST(OtherMemory, ReadsPiecesUpToTheFirstMissingOne) {
  const OtherMemory memory(process_number());
  std::array<u64, 200> numbers;
  for (usize i = 0; i < numbers.size(); ++i) numbers[i] = i * 3;
  std::array<u64, 200> copies{};
  std::vector<MemoryPiece> pieces;
  for (usize i = 0; i < numbers.size(); ++i) {
    pieces.push_back(piece_from(&numbers[i], std::as_writable_bytes(std::span(&copies[i], 1))));
  }
  if (memory.read(std::span(pieces).first(1)) == 0) GTEST_SKIP() << "this system does not allow it";
  EXPECT_EQ(memory.read(pieces), pieces.size());
  EXPECT_EQ(copies, numbers);
  pieces[150].address = 8;
  EXPECT_EQ(memory.read(pieces), 150u);
  EXPECT_EQ(memory.read({}), 0u);
  pieces[0].address = ~u64{0} - 3;
  EXPECT_EQ(memory.read(pieces), 0u);
}

TEST(OtherMemory, HasNothingOfAProcessThatDoesNotExist) {
  const OtherMemory memory(0x3fffffff);
  u64 number = 1, copy = 0;
  const MemoryPiece piece = piece_from(&number, std::as_writable_bytes(std::span(&copy, 1)));
  EXPECT_EQ(memory.read({&piece, 1}), 0u);
  EXPECT_TRUE(file_mappings(0x3fffffff).empty());
}

TEST(OtherMemory, ParsesMappingsOfFiles) {
  const auto mappings = parse_file_mappings(
      "00400000-0041f000 r--p 00000000 fe:01 123                      /usr/bin/python3.11\n"
      "0041f000-0052b000 r-xp 0001f000 fe:01 123                      /usr/bin/with a space\n"
      "01000000-02000000 rw-p 00000000 00:00 0                        [heap]\n"
      "7f0000000000-7f0000001000 rw-p 00000000 00:00 0\n"
      "5-4 r--p 0 0 0 /x\n"
      "not a mapping /y\n"
      "7f-80 r--p 10 0 0 /last");
  ASSERT_EQ(mappings.size(), 3u);
  EXPECT_EQ(mappings[0].begin, 0x400000u);
  EXPECT_EQ(mappings[0].end, 0x41f000u);
  EXPECT_EQ(mappings[0].path, "/usr/bin/python3.11");
  EXPECT_EQ(mappings[1].file_offset, 0x1f000u);
  EXPECT_EQ(mappings[1].path, "/usr/bin/with a space");
  EXPECT_EQ(mappings[2].path, "/last");
}

TEST(OwnThreadNumber, IsTheLastOfTheContainers) {
  EXPECT_EQ(parse_own_thread_number("Name:\tx\nNSpid:\t4711\t23\t7\nNSpgid:\t1\n"), 7u);
  EXPECT_EQ(parse_own_thread_number("Name:\tx\nNSpid:\t4711\n"), 4711u);
  EXPECT_EQ(parse_own_thread_number("Name:\tNSpid:\t5\n"), std::nullopt) << "a name is no key";
  EXPECT_EQ(parse_own_thread_number("x\nNSpid:\t"), std::nullopt);
  EXPECT_EQ(parse_own_thread_number("x\nNSpid:\t99999999999\n"), std::nullopt);
}

TEST(Parent, IsReadAfterTheName) {
  EXPECT_EQ(parse_parent("4711 (python3) S 4700 1 1 0"), 4700u);
  EXPECT_EQ(parse_parent("4711 (a ) R 7 (b) S 4700 1"), 4700u) << "the name contains parentheses";
  EXPECT_EQ(parse_parent("4711 (python3) S"), std::nullopt);
  EXPECT_EQ(parse_parent("4711 python3 S 4700"), std::nullopt);
  EXPECT_EQ(parse_parent(""), std::nullopt);
}

TEST(OtherRoot, IsNotThatOfThisProcess) {
  EXPECT_FALSE(has_other_root(process_number()));
  EXPECT_FALSE(has_other_root(0x7fffffff));
}

TEST(OwnThreadNumber, EndedThreadKeepsItsSystemNumber) {
  constexpr u32 kNobody = 0x7fffffff;
  EXPECT_EQ(own_thread_number(kNobody, kNobody), kNobody);
}

}  // namespace
}  // namespace wperf::os
