// SPDX-License-Identifier: BSD-3-Clause
#include "code/symbols/elf_module.h"

#include <gtest/gtest.h>

#include "code/symbols/elf/elf_builder_test.h"
#include "ground/diag/names_all_test.h"

namespace wperf::symbols {
namespace {

std::vector<std::byte> image_with(const std::vector<TestSymbol>& symbols, std::string_view build_id,
                                  bool dynamic = false) {
  ElfBuilder builder;
  builder.add_symbols(symbols, dynamic);
  if (!build_id.empty()) builder.add_build_id(build_id);
  return builder.build();
}

ElfModule module_of(const std::vector<std::byte>& image, const std::vector<std::byte>& debug) {
  auto module = ElfModule::make({.image = image, .debug = debug, .alternate = {}});
  EXPECT_TRUE(module.has_value());
  return std::move(module).value();
}

TEST(ElfModule, NamesAsPeopleWriteThem) {
  const auto image = image_with({{"_ZN4rust4mainEi", 0x1100, 16},
                                 {"_RNvCs1234_7mycrate3foo", 0x1200, 16},
                                 {"_D8demangle4testi", 0x1300, 16},
                                 {"_Z3keyv@@V1", 0x1400, 16},
                                 {"plain", 0x1500, 16}},
                                {});
  const ElfModule module = module_of(image, {});
  const Symbolization answers = module.answer({0x10ff, 0x1100, 0x1205, 0x1300, 0x1400, 0x150f, 0x1510}, {});
  ASSERT_EQ(answers.answers.size(), 7u);
  const auto function = [&](usize i) { return std::string(answers.answers[i].function); };
  EXPECT_EQ(answers.answers[0].source, SymbolSource::none);
  EXPECT_EQ(function(1), "rust::main");
  EXPECT_EQ(function(2), "mycrate::foo");
  EXPECT_EQ(function(3), "demangle.test");
  EXPECT_EQ(function(4), "key@@V1");
  EXPECT_EQ(function(5), "plain");
  EXPECT_EQ(answers.answers[5].begin, 0x1500u);
  EXPECT_EQ(answers.answers[5].end, 0x1510u);
  EXPECT_EQ(answers.answers[5].source, SymbolSource::symtab);
  EXPECT_EQ(function(6), "");
  // A function without lines has one frame.
  ASSERT_EQ(answers.answers[5].frame_count, 1u);
  EXPECT_EQ(answers.frames[answers.answers[5].first_frame].function, "plain");
  EXPECT_EQ(module.function_at(0x1100, true).function, "_ZN4rust4mainEi");
}

TEST(ElfModule, HasAllNamesOfOneAddress) {
  const auto image = image_with({{"_Z5alphai", 0x1100, 16}, {"beta", 0x1100, 16}, {"gamma", 0x1200, 16}}, {});
  const ElfModule module = module_of(image, {});
  std::vector<std::string> names;
  module.for_each_name(false, [&](u64 address, std::string_view name) {
    if (address == 0x1100) names.emplace_back(name);
  });
  EXPECT_EQ(names, (std::vector<std::string>{"alpha", "beta"}));
  module.for_each_name(true, [&](u64, std::string_view name) { names.emplace_back(name); });
  EXPECT_EQ(names[2], "_Z5alphai");
}

TEST(ElfModule, FramesOnlyWhereAskedFor) {
  const auto image = image_with({{"f", 0x1100, 16}}, {});
  const ElfModule module = module_of(image, {});
  const Symbolization answers = module.answer({0x1100}, {.lines = false});
  EXPECT_TRUE(answers.frames.empty());
  EXPECT_EQ(answers.answers[0].function, "f");
}

TEST(ElfModule, TheDebugFileNamesMore) {
  const auto image = image_with({{"exported", 0x1100, 16}}, "12345678", true);
  const auto debug = image_with({{"exported", 0x1100, 16}, {"hidden", 0x1200, 16}}, "12345678");
  EXPECT_EQ(module_of(image, {}).function_at(0x1200, false).function, "");
  EXPECT_EQ(module_of(image, {}).function_at(0x1100, false).source, SymbolSource::dynsym);
  const ElfModule module = module_of(image, debug);
  EXPECT_EQ(module.function_at(0x1200, false).function, "hidden");
  EXPECT_EQ(module.reason(), "");
}

TEST(ElfModule, ADebugFileOfAnotherBuildIsRefused) {
  const auto image = image_with({{"exported", 0x1100, 16}}, "12345678", true);
  const auto debug = image_with({{"wrong", 0x1200, 16}}, "12345679");
  const ElfModule module = module_of(image, debug);
  EXPECT_EQ(module.function_at(0x1200, false).function, "");
  EXPECT_TRUE(
      diag::names_all(module.reason(), {"another build: it is 3132333435363739", "module is 3132333435363738"}));
}

TEST(ElfModule, WhatCannotBeRead) {
  EXPECT_FALSE(ElfModule::make({.image = {}, .debug = {}, .alternate = {}}).has_value());
  const std::vector<std::byte> text(100, std::byte{'x'});
  EXPECT_FALSE(ElfModule::make({.image = text, .debug = {}, .alternate = {}}).has_value());
  const auto image = image_with({{"f", 0x1100, 16}}, {});
  const ElfModule module = module_of(image, text);
  EXPECT_EQ(module.function_at(0x1100, false).function, "f");
  EXPECT_TRUE(diag::names_all(module.reason(), {"debug file is damaged", "ELF"}));
}

}  // namespace
}  // namespace wperf::symbols
