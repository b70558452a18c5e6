// SPDX-License-Identifier: BSD-3-Clause
#include "code/symbols/go/go_table.h"

#include <gtest/gtest.h>

#include <cstring>
#include <utility>

#include "code/symbols/go/go_builder_test.h"
#include "code/symbols/go/go_search.h"

namespace wperf::symbols {
namespace {

constexpr u64 kText = 0x401000;
constexpr u32 kMagics[] = {go::kMagic2, go::kMagic16, go::kMagic18, go::kMagic20};

std::optional<GoTable> read(const std::vector<std::byte>& bytes) {
  auto table = GoTable::read(EndianBytes(bytes, false));
  if (table.has_value() && table->stored_text().has_value()) table->set_text(kText);
  return table;
}

std::string line_text(const GoTable& table, u64 address) {
  const GoLine line = table.line_at(address);
  return std::string(line.file) + ":" + std::to_string(line.line);
}

TEST(GoTable, FunctionsAndLinesOfEachVersion) {
  for (const u32 magic : kMagics) {
    const auto bytes = bytes_of(GoBuilder(small_go_table(magic, kText)).build());
    const auto table = read(bytes);
    ASSERT_TRUE(table.has_value()) << magic;
    EXPECT_EQ(table->quantum(), 4);
    EXPECT_EQ(table->last() - table->first(), 0x100u);
    const auto sort = table->function_at(kText + 0x3f);
    ASSERT_TRUE(sort.has_value());
    EXPECT_EQ(sort->name, "main.(*list).sort");
    EXPECT_EQ(sort->begin, kText + 0x10);
    EXPECT_EQ(sort->end, kText + 0x40);
    EXPECT_EQ(table->function_at(kText)->name, "go:buildid");
    EXPECT_EQ(table->function_at(kText + 0xff)->name, "fmt.Println");
    EXPECT_FALSE(table->function_at(kText + 0x100).has_value());
    EXPECT_FALSE(table->function_at(kText - 1).has_value());
    EXPECT_EQ(line_text(*table, kText + 0x10), "/src/main.go:300");
    EXPECT_EQ(line_text(*table, kText + 0x18), "/go/src/fmt/print.go:5");
    EXPECT_EQ(line_text(*table, kText + 0x27), "/go/src/fmt/print.go:5");
    EXPECT_EQ(line_text(*table, kText + 0x28), "/src/main.go:302");
    EXPECT_EQ(line_text(*table, kText + 0x14), "/src/main.go:300") << "backwards";
    EXPECT_EQ(line_text(*table, kText + 0x30), ":0") << "after the last line";
    EXPECT_EQ(line_text(*table, kText + 0x80), "/go/src/fmt/print.go:314");
    EXPECT_EQ(line_text(*table, kText), ":0");
  }
}

TEST(GoTable, AllNamesInOrder) {
  const auto bytes = bytes_of(GoBuilder(small_go_table(go::kMagic18, 0)).build());
  const auto table = read(bytes);
  ASSERT_TRUE(table.has_value());
  std::string names;
  table->for_each([&](const GoFunction& one) { names += std::string(one.name) + ' '; });
  EXPECT_EQ(names, "go:buildid main.(*list).sort fmt.Println ");
}

TEST(GoTable, WrongHeadersAreRefused) {
  const std::string sound = GoBuilder(small_go_table(go::kMagic20, 0)).build();
  const auto reads_with = [&](usize at, char value) {
    std::string text = sound;
    text[at] = value;
    const auto bytes = bytes_of(text);
    return read(bytes).has_value();
  };
  EXPECT_TRUE(reads_with(0, '\xf1'));
  EXPECT_FALSE(reads_with(0, '\xf2'));
  EXPECT_FALSE(reads_with(4, 1)) << "padding";
  EXPECT_FALSE(reads_with(6, 3)) << "quantum";
  EXPECT_FALSE(reads_with(7, 4)) << "pointer size";
  EXPECT_FALSE(reads_with(8, 0)) << "no functions";
  EXPECT_FALSE(reads_with(14, 1)) << "too many functions";
  for (usize part = 0; part < go::kParts; ++part) {
    EXPECT_FALSE(reads_with(go::kPartsAt18 + 8 * part, 0)) << part;
    EXPECT_FALSE(reads_with(go::kPartsAt18 + 8 * part + 7, '\x7f')) << part;
  }
}

TEST(GoTable, FunctionsOutOfOrderAreRefused) {
  BuiltGoTable built = small_go_table(go::kMagic20, 0);
  std::swap(built.functions[1].begin, built.functions[2].begin);
  const auto bytes = bytes_of(GoBuilder(built).build());
  EXPECT_FALSE(read(bytes).has_value());
}

// Each byte changed and each end cut: no crash, no name outside of the table, no function that misses its address.
TEST(GoTable, DamageNeverLeadsAstray) {
  for (const u32 magic : kMagics) {
    const std::string sound = GoBuilder(small_go_table(magic, kText)).build();
    const auto check = [](const std::string& text) {
      const auto bytes = bytes_of(text);
      const auto table = read(bytes);
      if (!table.has_value()) return;
      for (u64 at = kText; at < kText + 0x120; at += 4) {
        const auto found = table->function_at(at);
        const GoLine line = table->line_at(at);
        if (!found.has_value()) continue;
        EXPECT_TRUE(found->begin <= at && at < found->end);
        const auto* const name = reinterpret_cast<const std::byte*>(found->name.data());
        EXPECT_TRUE(name >= bytes.data() && name + found->name.size() < bytes.data() + bytes.size());
        EXPECT_TRUE(!line.file.empty() || line.line == 0);
      }
      table->for_each([](const GoFunction& one) { EXPECT_LT(one.begin, one.end); });
    };
    for (usize at = 0; at < sound.size(); ++at) {
      for (const char value : {'\0', '\x01', '\x7f', '\xff'}) {
        std::string text = sound;
        text[at] = value;
        check(text);
      }
      check(sound.substr(0, at));
    }
  }
}

TEST(GoTable, ALongNameForAllFunctionsTakesNoLongTime) {
  BuiltGoTable built = small_go_table(go::kMagic20, 0);
  built.functions.clear();
  built.end = 80'000;
  for (u32 i = 0; i < 20'000; ++i) built.functions.push_back({i == 0 ? std::string(60'000, 'n') : "", i * 4, {}});
  std::string text = GoBuilder(built).build();
  u64 functions_at = 0;
  std::memcpy(&functions_at, text.data() + go::kPartsAt18 + 8 * 4, 8);
  for (usize i = 0; i < built.functions.size(); ++i) {
    std::memset(text.data() + functions_at + built.functions.size() * 8 + 4 + i * 48 + 4, 0, 4);
  }
  const auto bytes = bytes_of(text);
  const auto table = read(bytes);
  ASSERT_TRUE(table.has_value());
  u32 count = 0;
  table->for_each([&](const GoFunction&) { ++count; });
  EXPECT_EQ(count, 2u) << "twice the size of all names";
}

class GoSearch : public testing::Test {
 protected:
  static constexpr u64 kData = 0x800000;

  // Code of `code_size` bytes, and data with the table at 0x40, then moduledata if the text is not 0.
  std::optional<GoTable> find(const BuiltGoTable& built, u64 code_at, u64 code_size, u64 text_in_moduledata) {
    std::string data(0x40, '\0');
    data += GoBuilder(built).build();
    data.resize((data.size() + 15) / 16 * 16);
    const usize module_at = data.size();
    data.resize(module_at + go::kModuleBytes);
    const auto put = [&](usize at, u64 value) { std::memcpy(data.data() + module_at + at, &value, 8); };
    u64 names = 0;
    std::memcpy(&names, data.data() + 0x40 + go::kPartsAt18, 8);
    if (text_in_moduledata != 0) {
      put(0, kData + 0x40);
      put(8, kData + 0x40 + names);
      put(go::kFirstCodeAt, text_in_moduledata);
      put(go::kModuleTextAt, text_in_moduledata);
    }
    bytes_ = bytes_of(data);
    const GoPart parts[] = {{code_at, code_size, {}, true}, {kData, bytes_.size(), bytes_, false}};
    return find_go_table({parts, false}, 4);
  }
  std::vector<std::byte> bytes_;
};

TEST_F(GoSearch, TheTextIsInTheHeader) {
  const auto table = find(small_go_table(go::kMagic18, 0x402000), 0x401000, 0x9000, 0);
  ASSERT_TRUE(table.has_value());
  EXPECT_EQ(table->function_at(0x402010)->name, "main.(*list).sort");
}

TEST_F(GoSearch, TheTextIsInModuledata) {
  const auto table = find(small_go_table(go::kMagic20, 0), 0x401000, 0x9000, 0x403000);
  ASSERT_TRUE(table.has_value());
  EXPECT_EQ(table->function_at(0x403010)->name, "main.(*list).sort");
}

TEST_F(GoSearch, TheTextFillsItsSection) {
  const auto table = find(small_go_table(go::kMagic20, 0), 0x401000, 0x113, 0);
  ASSERT_TRUE(table.has_value());
  EXPECT_EQ(table->function_at(0x401010)->name, "main.(*list).sort");
}

TEST_F(GoSearch, WithoutAPlaceNoNames) {
  EXPECT_FALSE(find(small_go_table(go::kMagic20, 0), 0x401000, 0x9000, 0).has_value());
  EXPECT_FALSE(find(small_go_table(go::kMagic20, 0), 0x401000, 0xff, 0).has_value()) << "too little code";
  EXPECT_FALSE(find(small_go_table(go::kMagic18, 0x900000), 0x401000, 0x9000, 0x900000).has_value()) << "elsewhere";
  EXPECT_FALSE(find(small_go_table(go::kMagic16, 0x900000), 0x401000, 0x9000, 0).has_value()) << "elsewhere";
}

TEST_F(GoSearch, SharedBytesAreSearchedOnce) {
  const std::vector<std::byte> file(100);
  const Bytes bytes = file;
  const auto parts = with_bytes_once({{3, 50, bytes.subspan(50), false},
                                      {1, 60, bytes.first(50), true},
                                      {2, 10, bytes.subspan(40, 20), false},
                                      {4, 10, {}, false}});
  ASSERT_EQ(parts.size(), 4u);
  usize sum = 0;
  for (const GoPart& part : parts) {
    sum += part.bytes.size();
    EXPECT_EQ(part.bytes.empty(), part.address == 2 || part.address == 4);
  }
  EXPECT_EQ(sum, 100u);
}

TEST_F(GoSearch, OtherMachinesTablesAreData) {
  BuiltGoTable built = small_go_table(go::kMagic18, 0x402000);
  built.quantum = 1;
  EXPECT_FALSE(find(built, 0x401000, 0x9000, 0).has_value());
}

}  // namespace
}  // namespace wperf::symbols
