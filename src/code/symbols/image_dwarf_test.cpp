// SPDX-License-Identifier: BSD-3-Clause
// Windows images that contain their own names: DWARF and COFF symbols.
#include "code/symbols/image_dwarf.h"

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <set>

#include "code/symbols/pe/image_files_test.h"
#include "code/symbols/pe/pe_builder_test.h"
#include "code/symbols/symbolizer.h"

#ifndef WPERF_TEST_IMAGES  // the Windows build makes no test images
#define WPERF_TEST_IMAGES ""
#endif

namespace wperf::symbols {
namespace {

using ImageBuffer = std::vector<std::byte>;

ModuleSymbols module_of(const ImageBuffer& bytes, const ModuleFiles& files = {}) {
  auto image = PeFile::parse(bytes);
  EXPECT_TRUE(image.has_value());
  return ModuleSymbols::make("m.dll", std::move(image).value(), std::nullopt, files);
}

std::vector<code::Rva> code_of(const PeFile& image) {
  std::vector<code::Rva> out;
  for (const Section& section : image.sections()) {
    for (u32 at = 0; section.executable() && at < section.virtual_size; at += 4) out.push_back({section.rva + at});
  }
  return out;
}

class OwnNames : public testing::Test {
 protected:
  void SetUp() override {
    if (find_images({WPERF_TEST_IMAGES}).empty()) GTEST_SKIP() << "needs clang and lld-link";
  }
  static ImageBuffer load(const std::string& name) {
    return load_bytes(std::filesystem::path(WPERF_TEST_IMAGES) / name);
  }
};

TEST_F(OwnNames, DwarfHasLinesAndInlinedFrames) {
  for (const char* machine : {"arm64", "x64"}) {
    const ImageBuffer bytes = load(std::string("dwarf_") + machine + ".dll");
    const ModuleSymbols module = module_of(bytes, {.image = "i.dll", .pdb = {}, .why_no_pdb = "no PDB found"});
    EXPECT_TRUE(module.has_dwarf());
    EXPECT_EQ(module.state().source, SymbolSource::symtab);
    EXPECT_EQ(module.state().file, "i.dll");
    EXPECT_EQ(module.state().reason, "");
    std::map<std::string_view, std::set<u32>> lines;
    bool inlined = false;
    for (const Answer& answer : module.answer(code_of(*module.image()), {})) {
      if (answer.source == SymbolSource::none) continue;
      EXPECT_EQ(answer.source, SymbolSource::symtab) << answer.function;
      EXPECT_TRUE(answer.bounds.contains(answer.address));
      ASSERT_FALSE(answer.frames.empty());
      EXPECT_EQ(answer.frames.back().function, answer.function);
      EXPECT_FALSE(answer.frames.back().inlined);
      inlined |= answer.frames.size() > 1 && answer.frames.front().inlined;
      if (answer.frames.back().file.ends_with("functions.cpp"))
        lines[answer.function].insert(answer.frames.back().line);
    }
    for (const char* name : {"shapes::tail_call", "shapes::sum_of<int>", "shapes::Counter::add", "exported_leaf"}) {
      EXPECT_GE(lines[name].size(), 1u) << name;
    }
    EXPECT_TRUE(inlined) << machine;
  }
}

TEST_F(OwnNames, SymbolsAloneHaveNoLines) {
  const ImageBuffer bytes = load("coff_x64.dll");
  const ModuleSymbols module = module_of(bytes, {.image = "i.dll", .pdb = {}, .why_no_pdb = "no PDB found"});
  EXPECT_FALSE(module.has_dwarf());
  EXPECT_EQ(module.state().source, SymbolSource::symtab);
  EXPECT_EQ(module.state().reason, "no PDB found");  // a PDB would have more
  std::set<std::string_view> names, decorated;
  const std::vector<code::Rva> addresses = code_of(*module.image());
  for (const Answer& answer : module.answer(addresses, {})) {
    names.insert(answer.function);
    for (const SymbolizedFrame& frame : answer.frames) EXPECT_EQ(frame.line, 0u);
  }
  for (const Answer& answer : module.answer(addresses, {.decorated = true})) decorated.insert(answer.function);
  EXPECT_TRUE(names.contains("shapes::leaf"));
  EXPECT_TRUE(decorated.contains("_ZN6shapes4leafEi"));
  std::set<std::string> visited;
  module.for_each_name(false, [&](code::Rva, std::string_view name) { visited.emplace(name); });
  EXPECT_TRUE(visited.contains("shapes::tail_call"));
}

// As in images from zig, whose names and extents are only in DWARF.
TEST_F(OwnNames, DwarfWithoutSymbols) {
  ImageBuffer bytes = load("dwarf_arm64.dll");
  const ModuleSymbols with = module_of(bytes);
  ImageBuffer cut = bytes;
  const usize header = std::to_integer<usize>(cut[0x3c]) | std::to_integer<usize>(cut[0x3d]) << 8;
  u32 table = 0, count = 0;
  std::memcpy(&table, cut.data() + header + 12, sizeof table);
  std::memcpy(&count, cut.data() + header + 16, sizeof count);
  ASSERT_NE(count, 0u);
  table += 18 * count;  // the names of sections are kept
  count = 0;
  std::memcpy(cut.data() + header + 12, &table, sizeof table);
  std::memcpy(cut.data() + header + 16, &count, sizeof count);
  const ModuleSymbols without = module_of(cut);
  EXPECT_EQ(without.state().source, SymbolSource::dwarf);
  const auto answers = without.answer(code_of(*without.image()), {});
  const auto expected = with.answer(code_of(*with.image()), {});
  usize same = 0;
  for (usize i = 0; i < answers.size(); ++i) {
    if (answers[i].source != SymbolSource::dwarf) continue;
    ++same;
    EXPECT_EQ(answers[i].function, expected[i].function);
    EXPECT_EQ(answers[i].bounds.begin, expected[i].bounds.begin) << answers[i].function;
    EXPECT_EQ(answers[i].bounds.end, expected[i].bounds.end) << answers[i].function;
    EXPECT_EQ(answers[i].frames.size(), expected[i].frames.size());
  }
  EXPECT_GT(same, 200u);
}

TEST_F(OwnNames, LinesOnlyIfWanted) {
  const ImageBuffer bytes = load("dwarf_arm64.dll");
  const ModuleSymbols module = module_of(bytes);
  for (const Answer& answer : module.answer(code_of(*module.image()), {.lines = false})) {
    EXPECT_TRUE(answer.frames.empty());
  }
}

TEST_F(OwnNames, DwarfBeyondTheEndOfTheFileIsTold) {
  const ImageBuffer whole = load("dwarf_arm64.dll");
  const auto image = PeFile::parse(whole);
  ASSERT_TRUE(image.has_value());
  const Section* const line = image.value().section(".debug_line");
  ASSERT_NE(line, nullptr);
  ImageBuffer bytes = whole;
  const usize header = std::to_integer<usize>(bytes[0x3c]) | std::to_integer<usize>(bytes[0x3d]) << 8;
  u16 optional = 0;
  std::memcpy(&optional, bytes.data() + header + 20, sizeof optional);
  const auto index = static_cast<usize>(line - image.value().sections().data());
  const u32 far = 0x7fffff00;
  std::memcpy(bytes.data() + header + 24 + optional + 40 * index + 20, &far, sizeof far);
  const ModuleSymbols module = module_of(bytes, {.image = {}, .pdb = {}, .why_no_pdb = "no PDB found"});
  EXPECT_EQ(module.state().reason, "its DWARF is cut off: the file ends within .debug_line");
  for (const Answer& answer : module.answer(code_of(*module.image()), {})) {
    EXPECT_EQ(answer.frames.empty() ? 0 : answer.frames.front().line, 0u);  // the lines of calls are stored elsewhere
  }
}

TEST_F(OwnNames, DamagedBytesGiveSoundAnswers) {
  for (const char* name : {"dwarf_arm64.dll", "dwarf_x64.dll"}) {
    const ImageBuffer whole = load(name);
    std::mt19937 random(1);
    for (int round = 0; round < 200; ++round) {
      ImageBuffer bytes = whole;
      for (int i = 0; i < 8; ++i) bytes[random() % bytes.size()] = static_cast<std::byte>(random());
      auto image = PeFile::parse(bytes);
      if (!image.has_value()) continue;
      const ModuleSymbols module = ModuleSymbols::make("m", std::move(image).value(), std::nullopt);
      std::vector<code::Rva> addresses;
      for (u32 rva = 0x1000; rva < 0x1800; rva += 4) addresses.push_back({rva});
      const auto answers = module.answer(addresses, {});
      ASSERT_EQ(answers.size(), addresses.size());
      for (const Answer& answer : answers) {
        const bool sized = answer.bounds.begin != answer.bounds.end;
        ASSERT_TRUE(!sized || answer.bounds.contains(answer.address)) << round;
      }
    }
  }
}

TEST(BuiltImage, WithoutPdbInItSymbolsAreTheBest) {
  PeBuilder builder;
  builder.add_section(".text", std::string(0x40, 'c'), kCodeSection);
  builder.add_symbol({.name = "main.main", .value = 0x10});
  const ImageBuffer bytes = builder.build();
  const ModuleSymbols module = module_of(bytes);
  EXPECT_EQ(module.state().reason, "");
  EXPECT_EQ(module.answer({{0x1010}}, {}).front().function, "main.main");
}

TEST(BuiltImage, PackedDwarfThatIsDamagedIsTold) {
  PeBuilder builder;
  builder.add_section(".text", std::string(0x40, 'c'), kCodeSection);
  builder.add_section(".zdebug_info", std::string("ZLIB\0\0\0\0\0\0\0\x10", 12) + "no zlib", kDataSection);
  builder.add_symbol({.name = "main.main", .value = 0x10});
  const ImageBuffer bytes = builder.build();
  const ModuleSymbols module = module_of(bytes);
  EXPECT_TRUE(module.has_dwarf());
  EXPECT_TRUE(module.state().reason.starts_with("its DWARF is not read: ")) << module.state().reason;
  EXPECT_EQ(module.answer({{0x1010}}, {}).front().function, "main.main");
}

TEST(BuiltImage, SectionsThatClaimMuchTakeNothing) {
  PeBuilder builder;
  builder.add_section(".text", std::string(0x40, 'c'), kCodeSection);
  builder.add_section(".zdebug_info", std::string("ZLIB\0\0\0\x01\0\0\0\0", 12) + "x", kDataSection);
  const ImageBuffer bytes = builder.build();
  EXPECT_EQ(module_of(bytes).state().reason,
            "its DWARF is not read: the compressed section .zdebug_info claims an impossible size");
}

}  // namespace
}  // namespace wperf::symbols
