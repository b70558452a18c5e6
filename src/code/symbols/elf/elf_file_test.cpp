// SPDX-License-Identifier: BSD-3-Clause
#include "code/symbols/elf/elf_file.h"

#include <gtest/gtest.h>

#include "code/symbols/elf/debug_files.h"
#include "code/symbols/elf/elf_builder_test.h"
#include "code/symbols/elf/elf_symbols.h"

namespace wperf::symbols {
namespace {

std::vector<std::byte> bytes_of(std::string_view text) {
  const auto* data = reinterpret_cast<const std::byte*>(text.data());
  return {data, data + text.size()};
}

ElfFile parsed(const std::vector<std::byte>& bytes) {
  auto file = ElfFile::parse(bytes);
  EXPECT_TRUE(file.has_value());
  return std::move(file).value();
}

std::string name_at(const std::vector<std::byte>& bytes, u64 address) {
  const ElfFile file = parsed(bytes);
  const ElfSymbols symbols = ElfSymbols::read(&file, nullptr, nullptr);
  const ElfSymbol* found = symbols.find(address);
  return found != nullptr ? std::string(found->name) : "";
}

TEST(ElfFile, EitherWidthAndOrder) {
  for (const bool wide : {false, true}) {
    for (const bool big : {false, true}) {
      ElfBuilder builder(wide, big);
      builder.add_symbols({{"f", 0x1230, 0x10}, {"g", 0x1250, 4}});
      builder.add_build_id("\x12\xab");
      const auto bytes = builder.build();
      const ElfFile file = parsed(bytes);
      EXPECT_EQ(file.is_64_bit(), wide);
      EXPECT_EQ(file.big_endian(), big);
      EXPECT_EQ(file.machine(), elf::kMachineX86_64);
      EXPECT_EQ(build_id_text(file.build_id()), "12ab");
      EXPECT_EQ(file.address_of_offset(0x230), 0x1230u);
      EXPECT_EQ(file.address_of_offset(0x100), std::nullopt);
      EXPECT_EQ(file.address_of_offset(0x1200), std::nullopt);
      EXPECT_EQ(file.offset_of_address(0x1234), 0x234u);
      EXPECT_EQ(name_at(bytes, 0x123f), "f");
      EXPECT_EQ(name_at(bytes, 0x1240), "");
      EXPECT_EQ(name_at(bytes, 0x1253), "g");
    }
  }
}

TEST(ElfFile, RefusesWhatIsNone) {
  EXPECT_FALSE(ElfFile::parse({}).has_value());
  EXPECT_FALSE(ElfFile::parse(bytes_of("#!/bin/sh\n")).has_value());
  auto bytes = ElfBuilder().build();
  bytes.resize(40);
  EXPECT_FALSE(ElfFile::parse(bytes).has_value());
  bytes = ElfBuilder().build();
  bytes[4] = std::byte{7};
  EXPECT_FALSE(ElfFile::parse(bytes).has_value());
}

TEST(ElfFile, EveryTruncationIsHeldUp) {
  ElfBuilder builder;
  builder.add_symbols({{"f", 0x1230, 0x10}});
  builder.add_build_id("12345678901234567890");
  const auto whole = builder.build();
  for (usize size = 0; size < whole.size(); ++size) {
    const std::vector<std::byte> cut(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(size));
    const auto file = ElfFile::parse(cut);
    if (!file.has_value()) continue;
    static_cast<void>(ElfSymbols::read(&file.value(), nullptr, nullptr).find(0x1234));
  }
}

TEST(ElfFile, Links) {
  ElfBuilder builder(true, true);
  ByteWriter link = builder.writer();
  link.text("a.debug");
  link.pad(4);
  link.number(0x12345678, 4);
  builder.add_section(".gnu_debuglink", 1, 0, 0, link.bytes);
  ByteWriter other = builder.writer();
  other.text("../.dwz/shared.debug");
  other.number(0xabcd, 2);
  builder.add_section(".gnu_debugaltlink", 1, 0, 0, other.bytes);
  const auto bytes = builder.build();
  const ElfFile file = parsed(bytes);
  ASSERT_TRUE(file.debug_link().has_value());
  EXPECT_EQ(file.debug_link()->file_name, "a.debug");
  EXPECT_EQ(file.debug_link()->crc, 0x12345678u);
  ASSERT_TRUE(file.alternate_link().has_value());
  EXPECT_EQ(file.alternate_link()->file_name, "../.dwz/shared.debug");
  EXPECT_EQ(build_id_text(file.alternate_link()->build_id), "abcd");
}

TEST(ElfFile, TheChecksumOfDebugLinks) {
  EXPECT_EQ(debug_link_crc(bytes_of("123456789")), 0xcbf43926u);  // the standard check value of CRC-32
}

TEST(ElfFile, PackedSectionsThatPromiseTooMuch) {
  ElfBuilder builder;
  ByteWriter packed = builder.writer();
  packed.number(elf::kCompressionZlib, 4);
  packed.number(0, 4);
  packed.number(u64{1} << 40, 8);
  packed.number(1, 8);
  builder.add_section(".debug_info", 1, elf::kFlagCompressed, 0, packed.bytes);
  const auto bytes = builder.build();
  const ElfFile file = parsed(bytes);
  EXPECT_FALSE(file.contents(*file.section(".debug_info")).has_value());
  EXPECT_TRUE(file.contents(".debug_info").empty());
}

TEST(ElfSymbols, OfSeveralNamesTheOneThatPerfShows) {
  constexpr u64 at = 0x1100;
  const auto chosen = [](std::vector<TestSymbol> symbols) {
    ElfBuilder builder;
    builder.add_symbols(symbols);
    return name_at(builder.build(), at);
  };
  const u8 function = elf::kTypeFunction, none = elf::kTypeNone;
  EXPECT_EQ(chosen({{"label", at, 0, none}, {"f", at, 4}}), "f");
  EXPECT_EQ(chosen({{"weak_and_long", at, 4, function, elf::kBindWeak}, {"f", at, 4, function, elf::kBindLocal}}), "f");
  EXPECT_EQ(chosen({{"local_and_long", at, 4, function, elf::kBindLocal}, {"f", at, 4}}), "f");
  EXPECT_EQ(chosen({{"__memcpy", at, 4}, {"_copy", at, 4}}), "_copy");
  EXPECT_EQ(chosen({{"ab", at, 4}, {"abc", at, 4}}), "abc");
  EXPECT_EQ(chosen({{"abc", at, 4}, {"xyz", at, 4}}), "abc");
}

TEST(ElfSymbols, SymbolsInSymbolsAndWithoutSizes) {
  ElfBuilder builder;
  builder.add_symbols({{"outer", 0x1000, 0x100},
                       {"inner", 0x1040, 0x10},
                       {"no_size", 0x1200, 0},
                       {"next", 0x1300, 8},
                       {"undefined", 0x1400, 8, elf::kTypeFunction, elf::kBindGlobal, 0},
                       {"$x", 0x1040, 0, elf::kTypeNone}});
  const auto bytes = builder.build();
  EXPECT_EQ(name_at(bytes, 0x103f), "outer");
  EXPECT_EQ(name_at(bytes, 0x1040), "inner");
  EXPECT_EQ(name_at(bytes, 0x1050), "outer");
  EXPECT_EQ(name_at(bytes, 0x1100), "");
  EXPECT_EQ(name_at(bytes, 0x12ff), "no_size");
  EXPECT_EQ(name_at(bytes, 0x1401), "");
}

TEST(ElfSymbols, MarksOfArmAreNoNames) {
  ElfBuilder builder(true, false, elf::kMachineArm64);
  builder.add_symbols({{"$x", 0x1000, 0, elf::kTypeNone, elf::kBindLocal},
                       {"f", 0x1000, 0x20},
                       {"$d.1", 0x1010, 0, elf::kTypeNone, elf::kBindLocal}});
  EXPECT_EQ(name_at(builder.build(), 0x1014), "f");
  ElfBuilder arm(false, false, elf::kMachineArm);
  arm.add_symbols({{"thumb", 0x1001, 0x10}});
  EXPECT_EQ(name_at(arm.build(), 0x1000), "thumb");
}

TEST(DebugFiles, PlacesInTheirOrder) {
  const auto id = bytes_of("\x12\x34\xff");
  const DebugFileSearch search{.image_path = "/usr/bin/tool", .root = {}};
  const auto found = debug_file_candidates(search, id, ElfDebugLink{"tool.debug", 7});
  std::vector<std::string> paths;
  for (const auto& one : found) paths.push_back(one.path);
  EXPECT_EQ(paths, (std::vector<std::string>{"/usr/lib/debug/.build-id/12/34ff.debug", "/usr/bin/tool.debug",
                                             "/usr/bin/.debug/tool.debug", "/usr/lib/debug/usr/bin/tool.debug",
                                             "/usr/lib/debug/usr/bin/tool.debug", "/usr/lib/debug/usr/bin/tool"}));
  EXPECT_EQ(found[1].crc, 7u);
  EXPECT_EQ(found[4].check, DebugFileCheck::build_id);
}

TEST(DebugFiles, NamesThatLeadElsewhereAreLeftOut) {
  const DebugFileSearch search{.image_path = "/usr/bin/tool", .root = "/proc/7/root"};
  EXPECT_TRUE(debug_file_candidates(search, {}, ElfDebugLink{"../../etc/passwd", 7}).empty());
  EXPECT_TRUE(debug_file_candidates(search, {}, std::nullopt).empty());
  // A link to the file itself is ignored.
  for (const auto& one : debug_file_candidates(search, {}, ElfDebugLink{"tool", 7})) {
    EXPECT_NE(one.path, search.root + search.image_path);
    EXPECT_TRUE(one.path.starts_with(search.root + '/'));
  }
}

TEST(DebugFiles, TheFileOfDwz) {
  const auto id = bytes_of("\x12\x34");
  const DebugFileSearch search{.image_path = "/usr/bin/tool", .root = {}};
  const auto found = alternate_file_candidates(search, "/usr/lib/debug/.build-id/ab/cd.debug",
                                               {"../../.dwz/x86_64-linux-gnu/tool.debug", id});
  EXPECT_EQ(found, (std::vector<std::string>{"/usr/lib/debug/.build-id/ab/../../.dwz/x86_64-linux-gnu/tool.debug",
                                             "/usr/lib/debug/.build-id/12/34.debug",
                                             "/usr/lib/debug/.dwz/x86_64-linux-gnu/tool.debug"}));
}

}  // namespace
}  // namespace wperf::symbols
