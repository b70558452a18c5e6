// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/pgo/linker_names.h"

#include <gtest/gtest.h>

#include <optional>

#include "code/symbols/elf/elf_builder_test.h"

namespace wperf::pgo {
namespace {

using symbols::SymbolizedAddress;
using symbols::SymbolizedFrame;
using symbols::TestSymbol;

class LinkerNamesTest : public testing::Test {
 protected:
  void take(const std::vector<TestSymbol>& all) {
    symbols::ElfBuilder builder;
    builder.add_symbols(all);
    image_ = builder.build();
    modules::LoadedElf elf;
    elf.symbols = symbols::ElfModule::make({.image = image_, .debug = {}, .alternate = {}}).value();
    file_ = modules::CodeFile(std::move(elf));
    names_.emplace(file_);
  }
  // The linker name of a function that has `name` in DWARF; empty if there is no such function.
  std::string_view name_at(u64 address, std::string_view name) {
    const SymbolizedAddress symbol = file_.function_at(address, true);
    const SymbolizedFrame frame{.function = name, .file = "a.cpp", .in_dwarf = true};
    return names_->of_function(symbol, frame);
  }
  bool is_entry(u64 address, std::string_view name) { return names_->is_entry(name, file_.function_at(address, true)); }

  std::optional<LinkerNames> names_;

 private:
  std::vector<std::byte> image_;
  modules::CodeFile file_;
};

TEST_F(LinkerNamesTest, PartsHaveTheNameOfTheirFunction) {
  take({{"_Z1fv", 0x1100, 16},
        {"_Z1fv.cold", 0x1200, 16},
        {"_Z1fv.resume", 0x1300, 16},
        {"helper", 0x1400, 16},
        {"helper.cold", 0x1500, 16},
        {"helper.__part.1", 0x1600, 16},
        {"_ZZ4mainENKUlvE_clEv.cold.2", 0x1700, 16},
        {"helper.part.0.cold", 0x1800, 16}});
  for (const u64 address : {0x1100, 0x1200, 0x1300}) EXPECT_EQ(name_at(address, "_Z1fv"), "_Z1fv") << address;
  for (const u64 address : {0x1400, 0x1500, 0x1600, 0x1800}) EXPECT_EQ(name_at(address, "helper"), "helper");
  EXPECT_EQ(name_at(0x1700, "operator()"), "_ZZ4mainENKUlvE_clEv");
  EXPECT_EQ(name_at(0x1700, ""), "_ZZ4mainENKUlvE_clEv");
  EXPECT_TRUE(is_entry(0x1100, "_Z1fv"));
  EXPECT_TRUE(is_entry(0x1400, "helper"));
  for (const u64 address : {0x1200, 0x1300}) EXPECT_FALSE(is_entry(address, "_Z1fv")) << address;
  for (const u64 address : {0x1500, 0x1600, 0x1800}) EXPECT_FALSE(is_entry(address, "helper")) << address;
}

TEST_F(LinkerNamesTest, ACoroutineIsSeveralFunctions) {
  take({{"_Z1fv", 0x1100, 16}, {"_Z1fv.resume", 0x1200, 16}, {"_Z1fv.destroy", 0x1300, 16}, {"_Z1gv", 0x1400, 16}});
  const std::vector<u64> all = {0x1200, 0x1300, 0x1100};
  for (const char* const one : {"_Z1fv", "_Z1fv.resume", "_Z1fv.cleanup"}) EXPECT_EQ(names_->coroutine_at(one), all);
  for (const char* const one : {"_Z1gv", "plain", ""}) EXPECT_TRUE(names_->coroutine_at(one).empty());
}

TEST_F(LinkerNamesTest, OfFoldedFunctionsTheOneInDwarf) {
  take({{"_Z6secondj", 0x1100, 16}, {"_Z5firstj", 0x1100, 16}, {"two", 0x1200, 16}, {"one", 0x1200, 16}});
  EXPECT_EQ(name_at(0x1100, "_Z5firstj"), "_Z5firstj");
  EXPECT_EQ(name_at(0x1100, "_Z6secondj"), "_Z6secondj");
  EXPECT_EQ(name_at(0x1200, "one"), "one");
  EXPECT_EQ(name_at(0x1200, "two"), "two");
  EXPECT_TRUE(is_entry(0x1100, "_Z5firstj") && is_entry(0x1100, "_Z6secondj"));
}

TEST_F(LinkerNamesTest, APlainNameCountsOnlyIfTheSymbolAgrees) {
  take({{"_ZZ4mainEN5local3runEv", 0x1100, 16},
        {"run", 0x1200, 16},
        {"copied.constprop.0", 0x1300, 16},
        {"renamed.llvm.123", 0x1400, 16},
        {"_Z4fastv.avx2", 0x1500, 16},
        {"exported@@V1", 0x1600, 16}});
  EXPECT_EQ(name_at(0x1100, "run"), "_ZZ4mainEN5local3runEv") << "as GCC names functions of local types";
  EXPECT_EQ(name_at(0x1200, "run"), "run");
  EXPECT_EQ(name_at(0x1300, "copied"), "copied");
  EXPECT_EQ(name_at(0x1400, "renamed"), "renamed");
  EXPECT_EQ(name_at(0x1500, "fast"), "_Z4fastv.avx2");
  EXPECT_EQ(name_at(0x1600, "exported"), "exported");
  EXPECT_TRUE(is_entry(0x1300, "copied") && is_entry(0x1400, "renamed") && is_entry(0x1600, "exported"));
}

TEST_F(LinkerNamesTest, InlinedFunctionsHaveTheNameOfDwarfOnlyIfItIsTheLinkers) {
  take({{"plain", 0x1100, 16}});
  const auto is_sure = [&](std::string_view name, std::string_view file) {
    return names_->is_sure({.function = name, .file = file, .inlined = true, .in_dwarf = true});
  };
  EXPECT_TRUE(is_sure("??R<lambda_0>@?0??entry@@9@QEBA?A?<auto>@@I@Z", "a.cpp"));
  EXPECT_TRUE(is_sure("_Z3addi", "a.cpp") && is_sure("plain", "a.cpp") && is_sure("other", "a.c"));
  for (const char* const name : {"other", "operator()", "pick<int>", "~list"}) EXPECT_FALSE(is_sure(name, "a.cpp"));
}

TEST_F(LinkerNamesTest, WithoutASymbolOfTheNameTheFirstSymbolIsTheEntry) {
  take({{"shown", 0x1100, 16}});
  EXPECT_EQ(name_at(0x1100, "?hidden@@YAII@Z"), "?hidden@@YAII@Z");
  EXPECT_TRUE(is_entry(0x1100, "?hidden@@YAII@Z"));
}

}  // namespace
}  // namespace wperf::pgo
