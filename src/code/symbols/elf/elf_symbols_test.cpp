// SPDX-License-Identifier: BSD-3-Clause
#include "code/symbols/elf/elf_symbols.h"

#include <gtest/gtest.h>

#include "code/symbols/elf/elf_builder_test.h"

namespace wperf::symbols {
namespace {

std::string variable_at(const std::vector<std::byte>& bytes, u64 address) {
  const ElfFile file = ElfFile::parse(bytes).value();
  const DataSymbols symbols = DataSymbols::read(file, nullptr);
  const DataSymbol* found = symbols.find(address);
  return found != nullptr ? std::string(found->name) : "";
}

TEST(LocalSymbols, AreNumberedByAddressAmongThoseOfTheirName) {
  ElfBuilder builder;
  builder.add_section(".code", elf::kSectionNoBits, elf::kFlagAllocated | elf::kFlagExecutable, 0x20000, {}, 0x1000);
  builder.add_section(".comment", elf::kSectionNoBits, 0, 0x20000, {}, 0x1000);
  constexpr u8 kLocal = elf::kBindLocal, kFunction = elf::kTypeFunction;
  builder.add_symbols({{"helper", 0x20100, 4, kFunction, kLocal, 2},
                       {"other", 0x20000, 4, kFunction, kLocal, 2},
                       {"helper", 0x20080, 4, kFunction, kLocal, 2},
                       {"helper", 0x200c0, 4, elf::kTypeObject, kLocal, 2},
                       {"helper", 0x20040, 4, kFunction, elf::kBindGlobal, 2},
                       {"helper", 0x20010, 4, kFunction, kLocal, 3},
                       {"helper", 0x20020, 4, kFunction, kLocal, elf::kIndexUndefined},
                       {"helper", 0x21ffe, 4, kFunction, kLocal, 2}});
  const auto bytes = builder.build();
  const LocalSymbols symbols = LocalSymbols::read(ElfFile::parse(bytes).value());
  EXPECT_EQ(symbols.number_of("helper", 0x20080), 1u);
  EXPECT_EQ(symbols.number_of("helper", 0x200c0), 2u);
  EXPECT_EQ(symbols.number_of("helper", 0x20100), 3u);
  EXPECT_EQ(symbols.number_of("other", 0x20000), 1u);
  for (const u64 address : {0x20040, 0x20010, 0x20020, 0x21ffe, 0x20081}) {
    EXPECT_EQ(symbols.number_of("helper", address), 0u) << address;
  }
}

TEST(DataSymbols, VariablesAreFoundByAnyOfTheirBytes) {
  ElfBuilder builder;
  constexpr u8 kVariable = elf::kTypeObject;
  builder.add_symbols({{"code", 0x1230, 0x10},
                       {"lock", 0x4000, 40, kVariable},
                       {"table", 0x4040, 0x400, kVariable},
                       {"part", 0x4080, 8, kVariable},
                       {"elsewhere", 0x5000, 8, kVariable, elf::kBindGlobal, elf::kIndexUndefined},
                       {"without_size", 0x6000, 0, kVariable}});
  const auto bytes = builder.build();
  EXPECT_EQ(variable_at(bytes, 0x4000), "lock");
  EXPECT_EQ(variable_at(bytes, 0x4027), "lock");
  EXPECT_EQ(variable_at(bytes, 0x4028), "");
  EXPECT_EQ(variable_at(bytes, 0x4084), "part") << "the smallest around it";
  EXPECT_EQ(variable_at(bytes, 0x4088), "table");
  for (const u64 address : {0x1230, 0x5000, 0x6000, 0, 0x3fff}) EXPECT_EQ(variable_at(bytes, address), "") << address;
}

TEST(DataSymbols, WithoutAFullTableTheDynamicOneTells) {
  ElfBuilder builder;
  builder.add_symbols({{"exported", 0x4000, 8, elf::kTypeObject}}, true);
  EXPECT_EQ(variable_at(builder.build(), 0x4001), "exported");
}

}  // namespace
}  // namespace wperf::symbols
