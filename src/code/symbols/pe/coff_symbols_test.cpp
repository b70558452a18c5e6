// SPDX-License-Identifier: BSD-3-Clause
// COFF symbols and long section names in images.
#include <gtest/gtest.h>

#include "code/symbols/pe/image_tables.h"
#include "code/symbols/pe/pe_builder_test.h"
#include "code/symbols/pe/pe_invariants_test.h"

namespace wperf::symbols {
namespace {

struct Parsed {
  std::vector<std::byte> bytes;
  PeFile file;
};

Parsed parsed(PeBuilder& builder) {
  std::vector<std::byte> bytes = builder.build();
  auto file = PeFile::parse(bytes);
  EXPECT_TRUE(file.has_value());
  EXPECT_EQ(find_broken_invariant(file.value(), bytes), nullptr);
  return {std::move(bytes), std::move(file).value()};
}

// "name begin end", one on each line.
std::string list(const PeFile& file) {
  std::string out;
  char line[200];
  for (const CoffFunction& one : file.coff_functions()) {
    std::snprintf(line, sizeof line, "%.*s %x %x\n", static_cast<int>(one.name.size()), one.name.data(),
                  one.range.begin.value, one.range.end.value);
    out += line;
  }
  return out;
}

TEST(CoffSymbols, FunctionsByAddress) {
  PeBuilder builder;
  builder.add_section(".text", std::string(0x100, 'c'), kCodeSection);
  builder.add_section(".data", std::string(0x100, 'd'), kDataSection);
  builder.add_symbol({.name = ".text", .value = 0, .type = 0, .storage = 3, .further_records = 1});
  builder.add_symbol({.name = "a_name_of_more_than_eight_letters", .value = 0x80});
  builder.add_symbol({.name = "eight_it", .value = 0x20});
  builder.add_symbol({.name = "hidden", .value = 0x40, .storage = 3});
  builder.add_symbol({.name = "by_hand", .value = 0x60, .type = 0});
  builder.add_symbol({.name = "label", .value = 0x64, .type = 0, .storage = 6});
  builder.add_symbol({.name = "file.c", .section = 0xfffe, .type = 0, .storage = 103, .further_records = 1});
  builder.add_symbol({.name = "variable", .value = 8, .section = 2, .type = 0});
  builder.add_symbol({.name = "absolute", .value = 8, .section = 0xffff, .type = 0});
  builder.add_symbol({.name = "imported", .value = 0, .section = 0});
  builder.add_symbol({.name = "beyond", .value = 0x200});
  builder.add_symbol({.name = "nowhere", .value = 0, .section = 3});
  EXPECT_EQ(list(parsed(builder).file),
            "eight_it 1020 1040\n"
            "hidden 1040 1060\n"
            "by_hand 1060 1080\n"
            "a_name_of_more_than_eight_letters 1080 1100\n");
}

TEST(CoffSymbols, ExternalSymbolWinsAmongAliases) {
  PeBuilder builder;
  builder.add_section(".text", std::string(0x100, 'c'), kCodeSection);
  builder.add_symbol({.name = "untyped", .value = 0x10, .type = 0});
  builder.add_symbol({.name = "local", .value = 0x10, .storage = 3});
  builder.add_symbol({.name = "first", .value = 0x10});
  builder.add_symbol({.name = "second", .value = 0x10});
  EXPECT_EQ(list(parsed(builder).file), "first 1010 1100\n");
}

TEST(CoffSymbols, PdataEndsFunctions) {
  PeBuilder builder;
  builder.add_section(".text", std::string(0x200, 'c'), kCodeSection);
  builder.add_symbol({.name = "short", .value = 0});
  builder.add_symbol({.name = "pieces", .value = 0x40});
  builder.add_symbol({.name = "leaf", .value = 0x80});
  builder.add_symbol({.name = "wide", .value = 0x100});
  builder.add_symbol({.name = "inside", .value = 0x110});
  builder.add_function(0x1000, 0x20);
  builder.add_function(0x1040, 0x10);
  builder.add_function(0x1050, 0x10);
  builder.add_function(0x1070, 0x08);  // without a name
  builder.add_function(0x10a0, 0x10);  // without a name
  builder.add_function(0x1100, 0x40);
  EXPECT_EQ(list(parsed(builder).file),
            "short 1000 1020\n"
            "pieces 1040 1060\n"
            "leaf 1080 10a0\n"
            "wide 1100 1110\n"
            "inside 1110 1140\n");
}

TEST(CoffSymbols, LongNamesOfSections) {
  PeBuilder builder;
  builder.add_section(".text", std::string(16, 'c'), kCodeSection);
  builder.add_section(".debug_abbrev", std::string(100, 'a'), kDataSection);
  const usize offset = builder.add_text(".debug_info");
  ASSERT_LT(offset, 64u);
  constexpr char kDigits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  builder.add_section(std::string("//AAAAA") + kDigits[offset], "info", kDataSection);
  builder.add_section("/99999", "", kDataSection);
  builder.add_section("/2", "", kDataSection);
  builder.add_section("/x", "", kDataSection);
  builder.add_section("/", "", kDataSection);
  const auto [bytes, file] = parsed(builder);
  std::vector<std::string> names;
  for (const Section& one : file.sections()) names.push_back(one.name);
  EXPECT_EQ(names, (std::vector<std::string>{".text", ".debug_abbrev", ".debug_info", "/99999", "/2", "/x", "/"}));
  const Section* const abbreviations = file.section(".debug_abbrev");
  ASSERT_NE(abbreviations, nullptr);
  EXPECT_EQ(abbreviations->file_size, 512u);
  EXPECT_EQ(file.section_bytes(*abbreviations).size(), 100u);  // without the padding of the last block
  EXPECT_EQ(file.section(".debug_line"), nullptr);
}

TEST(CoffSymbols, SectionsEndWithTheFile) {
  PeBuilder builder;
  builder.add_section(".debug_info", std::string(600, 'i'), kDataSection);
  std::vector<std::byte> bytes = builder.build();
  const auto file = PeFile::parse(bytes);
  ASSERT_TRUE(file.has_value());
  Section section = *file.value().section(".debug_info");
  section.file_size = section.virtual_size = 0xffffffff;
  EXPECT_EQ(file.value().section_bytes(section).size(), bytes.size() - section.file_offset);
  section.file_offset = 0xffffffff;
  EXPECT_TRUE(file.value().section_bytes(section).empty());
}

TEST(CoffSymbols, ClaimedCountsAreNotBelieved) {
  PeBuilder builder;
  builder.add_section(".text", std::string(0x100, 'c'), kCodeSection);
  builder.add_symbol({.name = "short", .value = 0x10});
  builder.add_symbol({.name = "a_name_of_more_than_eight_letters", .value = 0x20});
  std::vector<std::byte> bytes = builder.build();
  bytes[0x51] = bytes[0x52] = bytes[0x53] = std::byte{0xff};  // then the position of the texts is beyond the end
  const auto file = PeFile::parse(bytes);
  ASSERT_TRUE(file.has_value());
  EXPECT_EQ(find_broken_invariant(file.value(), bytes), nullptr);
  EXPECT_NE(list(file.value()).find("short 1010"), std::string::npos);
  EXPECT_EQ(list(file.value()).find("a_name"), std::string::npos);
}

// 50,000 symbols refer to the same text of many letters.
usize read_shared_name(usize letters) {
  PeBuilder builder;
  builder.add_section(".text", std::string(50000, 'c'), kCodeSection);
  const auto offset = static_cast<u32>(builder.add_text(std::string(letters, 'n')));
  for (u32 i = 0; i < 50000; ++i) {
    std::string name(8, '\0');
    std::memcpy(name.data() + 4, &offset, sizeof offset);
    builder.add_symbol({.name = name, .value = i});
  }
  return parsed(builder).file.coff_functions().size();
}

TEST(CoffSymbols, OneLongNameIsNotReadOverAndOver) {
  EXPECT_LT(read_shared_name(60000), 50u);
  EXPECT_EQ(read_shared_name(1 << 20), 0u);
}

TEST(CoffSymbols, EveryDamagedByteGivesSoundAnswers) {
  PeBuilder builder;
  builder.add_section(".text", std::string(0x80, 'c'), kCodeSection);
  builder.add_section(".debug_abbrev", std::string(4, 'a'), kDataSection);
  builder.add_symbol({.name = ".text", .value = 0, .type = 0, .storage = 3, .further_records = 1});
  builder.add_symbol({.name = "short", .value = 0x10});
  builder.add_symbol({.name = "a_name_of_more_than_eight_letters", .value = 0x20});
  builder.add_function(0x1010, 0x08);
  const std::vector<std::byte> whole = builder.build();
  for (usize at = 0; at < whole.size(); ++at) {
    for (const u8 flip : {u8{0x01}, u8{0x10}, u8{0x80}, u8{0xff}}) {
      std::vector<std::byte> bytes = whole;
      bytes[at] ^= std::byte{flip};
      const auto file = PeFile::parse(bytes);
      if (!file.has_value()) continue;
      ASSERT_EQ(find_broken_invariant(file.value(), bytes), nullptr) << at;
    }
    const std::vector<std::byte> cut(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(at));
    const auto file = PeFile::parse(cut);
    if (!file.has_value()) continue;
    ASSERT_EQ(find_broken_invariant(file.value(), cut), nullptr) << "cut to " << at;
  }
}

}  // namespace
}  // namespace wperf::symbols
