// SPDX-License-Identifier: BSD-3-Clause
#include "code/symbols/go_tables.h"

#include <gtest/gtest.h>

#include "code/symbols/elf/elf_builder_test.h"
#include "code/symbols/elf_module.h"
#include "code/symbols/go/go_builder_test.h"
#include "code/symbols/pe/pe_builder_test.h"
#include "code/symbols/symbolizer.h"

namespace wperf::symbols {
namespace {

PeBuilder stripped_image() {
  PeBuilder builder;
  builder.add_section(".text", std::string(0x200, '\0'), kCodeSection);
  builder.add_section(".rdata",
                      std::string(8, '\xff') + GoBuilder(small_go_table(go::kMagic18, kBuiltBase + 0x1000)).build(),
                      kDataSection);
  builder.add_export("_cgo_dummy_export", 0x1000);
  return builder;
}

ModuleSymbols go_module(const std::vector<std::byte>& bytes) {
  auto image = PeFile::parse(bytes);
  EXPECT_TRUE(image.has_value());
  return ModuleSymbols::make("program", std::move(image).value(), std::nullopt, {.image = "program.exe", .pdb = {}});
}

TEST(GoImage, FunctionsAndLines) {
  const auto bytes = stripped_image().build();
  const ModuleSymbols module = go_module(bytes);
  EXPECT_EQ(module.state().source, SymbolSource::go);
  EXPECT_EQ(module.state().file, "program.exe");
  EXPECT_EQ(module.state().reason, "");
  const auto answers = module.answer({{0x1010}, {0x1018}, {0x1100}}, {});
  ASSERT_EQ(answers.size(), 3u);
  EXPECT_EQ(answers[0].function, "main.(*list).sort");
  EXPECT_EQ(answers[0].source, SymbolSource::go);
  EXPECT_EQ(answers[0].bounds.begin.value, 0x1010u);
  EXPECT_EQ(answers[0].bounds.end.value, 0x1040u);
  ASSERT_EQ(answers[1].frames.size(), 1u);
  EXPECT_EQ(answers[1].frames[0].function, "main.(*list).sort");
  EXPECT_EQ(answers[1].frames[0].file, "/go/src/fmt/print.go");
  EXPECT_EQ(answers[1].frames[0].line, 5u);
  EXPECT_NE(answers[2].source, SymbolSource::go) << "code after the last function";
  std::string names;
  module.for_each_name(false, [&](code::Rva, std::string_view name) { names += std::string(name) + ' '; });
  EXPECT_EQ(names, "go:buildid main.(*list).sort fmt.Println _cgo_dummy_export ");
}

TEST(GoImage, CoffSymbolsAreBetter) {
  PeBuilder builder = stripped_image();
  builder.add_symbol({.name = "main.sort", .value = 0x10});
  const auto bytes = builder.build();
  const ModuleSymbols module = go_module(bytes);
  EXPECT_EQ(module.state().source, SymbolSource::symtab);
  EXPECT_EQ(module.answer({{0x1018}}, {})[0].function, "main.sort");
}

ElfBuilder stripped_program(const std::string& section = ".gopclntab") {
  ElfBuilder builder;
  BuiltGoTable table = small_go_table(go::kMagic18, 0x1000);
  table.quantum = 1;
  builder.add_section(section, 1, 2, 0x40000, bytes_of(GoBuilder(table).build()));
  return builder;
}

TEST(GoProgramOfLinux, FunctionsAndLines) {
  ElfBuilder builder = stripped_program();
  builder.add_symbols({{"_cgo_topofstack", 0x1010, 0x30}, {"c_function", 0x1200, 0x10}}, true);
  const auto bytes = builder.build();
  const auto module = ElfModule::make({.image = bytes, .debug = {}, .alternate = {}});
  ASSERT_TRUE(module.has_value());
  const Symbolization answers = module.value().answer({0x1018, 0x1204}, {});
  ASSERT_EQ(answers.answers.size(), 2u);
  EXPECT_EQ(answers.answers[0].function, "main.(*list).sort");
  EXPECT_EQ(answers.answers[0].source, SymbolSource::go);
  EXPECT_EQ(answers.answers[0].begin, 0x1010u);
  EXPECT_EQ(answers.answers[0].end, 0x1040u);
  ASSERT_EQ(answers.answers[0].frame_count, 1u);
  const SymbolizedFrame& frame = answers.frames[answers.answers[0].first_frame];
  EXPECT_EQ(frame.function, "main.(*list).sort");
  EXPECT_EQ(frame.file, "/go/src/fmt/print.go");
  EXPECT_EQ(frame.line, 5u);
  EXPECT_EQ(answers.answers[1].function, "c_function");
  usize names = 0;
  module.value().for_each_name(false, [&](u64, std::string_view) { ++names; });
  EXPECT_EQ(names, 5u);
}

TEST(GoProgramOfLinux, TheTableIsAmongOtherData) {
  for (const bool is_go : {true, false}) {
    ElfBuilder builder = stripped_program(".data.rel.ro");
    if (is_go) builder.add_section(".note.go.buildid", elf::kSectionNote, 0, 0, {});
    const auto bytes = builder.build();
    const auto module = ElfModule::make({.image = bytes, .debug = {}, .alternate = {}});
    ASSERT_TRUE(module.has_value());
    EXPECT_EQ(module.value().function_at(0x1018, false).function, is_go ? "main.(*list).sort" : "");
  }
}

TEST(GoProgramOfLinux, ASymbolTableIsBetter) {
  ElfBuilder builder = stripped_program();
  builder.add_symbols({{"main.sort", 0x1010, 0x30}});
  const auto bytes = builder.build();
  const auto module = ElfModule::make({.image = bytes, .debug = {}, .alternate = {}});
  ASSERT_TRUE(module.has_value());
  EXPECT_EQ(module.value().function_at(0x1018, false).function, "main.sort");
  EXPECT_EQ(module.value().function_at(0x1080, false).function, "") << "not in the symbol table";
}

}  // namespace
}  // namespace wperf::symbols
