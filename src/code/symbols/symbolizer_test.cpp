// SPDX-License-Identifier: BSD-3-Clause
#include "code/symbols/symbolizer.h"

#include <gtest/gtest.h>

#include <map>
#include <set>

#include "code/symbols/pe/image_files_test.h"

namespace wperf::symbols {
namespace {

#ifndef WPERF_TEST_IMAGES  // the Windows build makes no test images
#define WPERF_TEST_IMAGES ""
#endif

class Module : public testing::Test {
 protected:
  void SetUp() override {
    if (find_images({WPERF_TEST_IMAGES}).empty()) GTEST_SKIP() << "needs clang and lld-link";
  }
  // The bytes are valid until the end of the test.
  const std::vector<std::byte>& bytes(const std::string& name) {
    auto& loaded = files_[name];
    if (loaded.empty()) loaded = load_bytes(std::filesystem::path(WPERF_TEST_IMAGES) / name);
    EXPECT_FALSE(loaded.empty()) << name;
    return loaded;
  }
  PeFile image(const std::string& name) {
    auto parsed = PeFile::parse(bytes(name));
    EXPECT_TRUE(parsed.has_value());
    return std::move(parsed).value();
  }
  PdbFile pdb(const std::string& name) {
    auto opened = PdbFile::open(bytes(name));
    EXPECT_TRUE(opened.has_value());
    return std::move(opened).value();
  }

 private:
  std::map<std::string, std::vector<std::byte>> files_;
};

std::vector<code::Rva> every_fourth_byte(const PeFile& image) {
  std::vector<code::Rva> out;
  for (const Section& section : image.sections()) {
    if (!section.executable()) continue;
    for (u32 at = 0; at < section.virtual_size; at += 4) out.push_back({section.rva + at});
  }
  return out;
}

std::set<std::string> names_of(const std::vector<Answer>& answers, SymbolSource source) {
  std::set<std::string> out;
  for (const Answer& answer : answers) {
    if (answer.source == source) out.emplace(answer.function);
  }
  return out;
}

void expect_consistent(const std::vector<Answer>& answers, const std::vector<code::Rva>& addresses) {
  ASSERT_EQ(answers.size(), addresses.size());
  for (size_t i = 0; i < answers.size(); ++i) {
    const Answer& answer = answers[i];
    EXPECT_EQ(answer.address, addresses[i]);
    EXPECT_EQ(answer.function.empty(), answer.source == SymbolSource::none);
    EXPECT_EQ(answer.frames.empty(), answer.source == SymbolSource::none);
    if (answer.bounds.begin != answer.bounds.end) {
      EXPECT_TRUE(answer.bounds.contains(answer.address));
    }
    if (answer.frames.empty()) continue;
    EXPECT_EQ(answer.frames.back().function, answer.function);
    EXPECT_FALSE(answer.frames.back().inlined);
    for (size_t j = 0; j + 1 < answer.frames.size(); ++j) EXPECT_TRUE(answer.frames[j].inlined);
  }
}

TEST_F(Module, WithItsPdb) {
  for (const std::string name : {"functions_arm64", "functions_x64"}) {
    const auto module = ModuleSymbols::make("functions.dll", image(name + ".dll"), pdb(name + ".pdb"),
                                            {.image = "i", .pdb = name + ".pdb"});
    const auto addresses = every_fourth_byte(*module.image());
    const auto answers = module.answer(addresses, {});
    expect_consistent(answers, addresses);
    const auto names = names_of(answers, SymbolSource::pdb);
    for (const char* expected : {"shapes::tail_call", "shapes::sum_of<int>", "shapes::sum_of<double>",
                                 "shapes::Counter::add", "exported_sum", "shapes::variable_frame"}) {
      EXPECT_EQ(names.count(expected), 1u) << expected;
    }
    EXPECT_EQ(module.state().source, SymbolSource::pdb);
    EXPECT_EQ(module.state().file, name + ".pdb");
    EXPECT_EQ(module.state().reason, "");
    bool line_seen = false;
    for (const Answer& answer : answers) {
      if (answer.function != "shapes::leaf") continue;
      ASSERT_FALSE(answer.frames.empty());
      line_seen |=
          answer.frames.back().file.find("functions.cpp") != std::string::npos && answer.frames.back().line > 0;
    }
    EXPECT_TRUE(line_seen);
  }
}

TEST_F(Module, BoundsAreThoseOfPdataWhereThatHasThem) {
  const auto module = ModuleSymbols::make("m", image("functions_x64.dll"), pdb("functions_x64.pdb"));
  int compared = 0;
  for (const Answer& answer : module.answer(every_fourth_byte(*module.image()), {})) {
    const auto bounds = module.image()->function_at(answer.address);
    if (answer.source != SymbolSource::pdb || !bounds.has_value()) continue;
    ++compared;
    EXPECT_EQ(answer.bounds.begin, bounds->begin) << answer.function;
    EXPECT_EQ(answer.bounds.end, bounds->end) << answer.function;
  }
  EXPECT_GT(compared, 50);
}

TEST_F(Module, DecoratedNamesOnRequest) {
  const auto module = ModuleSymbols::make("m", image("functions_arm64.dll"), pdb("functions_arm64.pdb"));
  const auto addresses = every_fourth_byte(*module.image());
  const auto answers = module.answer(addresses, {.decorated = true});
  expect_consistent(answers, addresses);
  const auto names = names_of(answers, SymbolSource::pdb);
  EXPECT_EQ(names.count("?tail_call@shapes@@YAHH@Z"), 1u);
  EXPECT_EQ(names.count("??$sum_of@H@shapes@@YAHPEBHH@Z"), 1u);
  EXPECT_EQ(names.count("exported_sum"), 1u);
  EXPECT_EQ(names.count("shapes::tail_call"), 0u);
}

TEST_F(Module, PdbOfPublicsAlone) {
  const auto module = ModuleSymbols::make("m", image("publics_arm64.dll"), pdb("publics_arm64.pdb"));
  const auto addresses = every_fourth_byte(*module.image());
  const auto answers = module.answer(addresses, {});
  expect_consistent(answers, addresses);
  const auto names = names_of(answers, SymbolSource::pdb_publics);
  EXPECT_EQ(names.count("shapes::tail_call"), 1u);
  EXPECT_EQ(names.count("shapes::sum_of<double>"), 1u);
  EXPECT_EQ(names.count("shapes::Counter::add_twice"), 1u);
  EXPECT_EQ(module.state().source, SymbolSource::pdb_publics);
  // The .pdata function at exactly this symbol.
  for (const Answer& answer : answers) {
    const auto bounds = module.image()->function_at(answer.address);
    if (answer.source != SymbolSource::pdb_publics || !bounds.has_value()) continue;
    EXPECT_EQ(answer.bounds.begin, bounds->begin);
  }
  const auto decorated = names_of(module.answer(addresses, {.decorated = true}), SymbolSource::pdb_publics);
  EXPECT_EQ(decorated.count("?tail_call@shapes@@YAHH@Z"), 1u);
}

TEST_F(Module, WithoutPdb) {
  const auto module = ModuleSymbols::make("m", image("functions_arm64.dll"), std::nullopt,
                                          {.image = "i.dll", .pdb = {}, .why_no_pdb = "why"});
  const auto addresses = every_fourth_byte(*module.image());
  const auto answers = module.answer(addresses, {});
  expect_consistent(answers, addresses);
  const auto exported = names_of(answers, SymbolSource::exports);
  EXPECT_EQ(exported, (std::set<std::string>{"exported_leaf", "exported_sum"}));
  size_t unnamed = 0;
  for (const Answer& answer : answers) {
    const auto bounds = module.image()->function_at(answer.address);
    if (answer.source != SymbolSource::pdata) continue;
    if (!bounds.has_value()) {
      EXPECT_TRUE(answer.function.starts_with("code at 0x")) << answer.function;
      continue;
    }
    char text[40];
    std::snprintf(text, sizeof text, "function at 0x%x", bounds->begin.value);
    EXPECT_EQ(answer.function, text);
    ++unnamed;
  }
  EXPECT_GT(unnamed, 100u);
  EXPECT_EQ(module.state().source, SymbolSource::exports);
  EXPECT_EQ(module.state().file, "i.dll");
  EXPECT_EQ(module.state().reason, "why");
  EXPECT_EQ(module.pdb(), nullptr);
}

// The PDB of the same image knows where leaf functions begin.
TEST_F(Module, LeafFunctionsWithoutPdbBeginWhereThePdbSays) {
  const auto with = ModuleSymbols::make("m", image("functions_arm64.dll"), pdb("functions_arm64.pdb"));
  const auto without = ModuleSymbols::make("m", image("functions_arm64.dll"), std::nullopt);
  const auto addresses = every_fourth_byte(*with.image());
  const auto known = with.answer(addresses, {}), found = without.answer(addresses, {});
  int leaves = 0;
  for (size_t i = 0; i < known.size(); ++i) {
    if (known[i].source != SymbolSource::pdb || !found[i].function.starts_with("code at")) continue;
    ++leaves;
    EXPECT_EQ(found[i].bounds.begin, known[i].bounds.begin) << known[i].function;
    EXPECT_EQ(found[i].bounds.end, known[i].bounds.end) << known[i].function;
  }
  EXPECT_GT(leaves, 20);
}

TEST_F(Module, PdbOfAnotherBuildIsRefused) {
  const auto module =
      ModuleSymbols::make("m", image("functions_arm64.dll"), pdb("functions_x64.pdb"), {.image = "i", .pdb = "p"});
  EXPECT_EQ(module.pdb(), nullptr);
  EXPECT_EQ(module.state().source, SymbolSource::exports);
  EXPECT_EQ(module.state().file, "i");
  EXPECT_EQ(module.state().reason.rfind("the PDB is from another build: it is ", 0), 0u) << module.state().reason;
  EXPECT_TRUE(names_of(module.answer(every_fourth_byte(*module.image()), {}), SymbolSource::pdb).empty());
}

TEST_F(Module, PdbAlone) {
  const auto module = ModuleSymbols::make("m", std::nullopt, pdb("functions_arm64.pdb"), {.image = {}, .pdb = "p"});
  EXPECT_EQ(module.state().source, SymbolSource::pdb);
  EXPECT_EQ(module.image(), nullptr);
  const PeFile same = image("functions_arm64.dll");
  const auto addresses = every_fourth_byte(same);
  const auto answers = module.answer(addresses, {});
  EXPECT_EQ(names_of(answers, SymbolSource::pdb).count("shapes::tail_call"), 1u);
}

TEST(ModuleWithNothing, AnswersNothing) {
  const auto module = ModuleSymbols::make("gone.dll", std::nullopt, std::nullopt);
  EXPECT_EQ(module.state().module, "gone.dll");
  EXPECT_EQ(module.state().source, SymbolSource::none);
  EXPECT_EQ(module.state().reason, "neither the image nor a PDB was found");
  const std::vector<code::Rva> addresses = {{0}, {0x1000}, {0xffffffff}};
  expect_consistent(module.answer(addresses, {}), addresses);
  EXPECT_TRUE(module.answer({}, {}).empty());
}

}  // namespace
}  // namespace wperf::symbols
