// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/pgo/declarations.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

namespace wperf::pgo {
namespace {

// With line numbers.
constexpr std::string_view kSource =
    "int before(int x) {\n"       // 1
    "  return add(x);\n"          // 2
    "}\n"                         // 3
    "static int\n"                // 4
    "add (int x,\n"               // 5
    "     int y)\n"               // 6
    "{\n"                         // 7
    "  return address(x) + y;\n"  // 8
    "}\n"                         // 9
    "MAKES_A_FUNCTION(made)\n"    // 10
    "{\n"                         // 11
    "}\n"                         // 12
    "void List::add(int x)\n"     // 13
    "{\n"                         // 14
    "}\n";                        // 15

class DeclarationsTest : public testing::Test {
 protected:
  DeclarationsTest() {
    folder_ = std::filesystem::path(testing::TempDir()) / "declarations_test";
    std::filesystem::create_directories(folder_);
    file_ = (folder_ / "a.c").string();
    std::ofstream(file_, std::ios::binary) << kSource;
  }
  ~DeclarationsTest() override { std::filesystem::remove_all(folder_); }

  // (line, is it just the first line of the code)
  std::pair<u32, bool> found(std::string_view function, u32 first_line) {
    const symbols::SymbolizedFrame frame{
        .function = function, .file = file_, .declared_line = first_line, .is_first_line = true};
    const u32 line = declarations_.line_of(frame);
    return {line, declarations_.is_guess(frame)};
  }

  std::filesystem::path folder_;
  std::string file_;
  Declarations declarations_{{}};
};

TEST_F(DeclarationsTest, TheNameIsAboveTheBrace) {
  EXPECT_EQ(found("add", 7), std::pair(5u, false));
  EXPECT_EQ(found("before", 1), std::pair(1u, false));
  EXPECT_EQ(found("List::add", 14), std::pair(13u, false));
  EXPECT_EQ(found("?add@List@@QEAAXH@Z", 14), std::pair(13u, false));
}

TEST_F(DeclarationsTest, OtherwiseItIsTheLineThatLooksLikeADeclaration) {
  EXPECT_EQ(found("made", 11), std::pair(10u, true));  // a macro line contains the name, but not as a function name
  EXPECT_EQ(found("add", 11), std::pair(10u, true));   // the previous function's name is not taken
  EXPECT_EQ(found("", 7), std::pair(5u, true));
}

TEST_F(DeclarationsTest, OtherwiseItIsTheFirstLine) {
  EXPECT_EQ(found("none", 4), std::pair(4u, true));
  EXPECT_EQ(found("add", 4'000'000'000), std::pair(4'000'000'000u, true));
  std::filesystem::remove(file_);
  Declarations without_source({});
  EXPECT_EQ(without_source.line_of({.function = "add", .file = file_, .declared_line = 7, .is_first_line = true}), 7u);
}

TEST_F(DeclarationsTest, FilesMayHaveFunctionsOfOneName) {
  const std::string other = (folder_ / "b.c").string();
  std::ofstream(other, std::ios::binary) << "\n\n\n\n\nint add(int x)\n{\n}\n";
  EXPECT_EQ(found("add", 7), std::pair(5u, false));
  EXPECT_EQ(declarations_.line_of({.function = "add", .file = other, .declared_line = 7, .is_first_line = true}), 6u);
}

TEST_F(DeclarationsTest, KnownLinesStay) {
  const symbols::SymbolizedFrame frame{.function = "add", .file = file_, .declared_line = 6};
  EXPECT_EQ(declarations_.line_of(frame), 6u);
  EXPECT_FALSE(declarations_.is_guess(frame));
}

}  // namespace
}  // namespace wperf::pgo
