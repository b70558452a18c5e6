// SPDX-License-Identifier: BSD-3-Clause
#include "code/symbols/listed/listed_symbols.h"

#include <gtest/gtest.h>

#include <string>

namespace wperf::symbols {
namespace {

TEST(Kallsyms, NamesKernelAndModules) {
  const std::string text =
      "ffffffff81000000 T _text\n"
      "ffffffff81000040 t helper\n"
      "ffffffff81000080 D some_data\n"
      "ffffffff810000c0 T last\n"
      "ffffffffc0001000 t ext4_get\t[ext4]\n";
  const ListedSymbols symbols = ListedSymbols::parse_kallsyms(text);
  ASSERT_EQ(symbols.all().size(), 4u);
  EXPECT_EQ(symbols.find(0xffffffff80ffffff), nullptr);
  EXPECT_EQ(symbols.find(0xffffffff8100003f)->name, "_text");
  EXPECT_EQ(symbols.find(0xffffffff810000bf)->name, "helper");
  EXPECT_EQ(symbols.find(0xffffffffc0001001)->name, "ext4_get");
  EXPECT_EQ(symbols.find(0xffffffffc0001001)->module, "ext4");
  EXPECT_EQ(symbols.find(0xffffffffc0001fff)->name, "ext4_get");
  EXPECT_EQ(symbols.find(0xffffffffc0002000), nullptr);
  EXPECT_FALSE(symbols.are_hidden());
}

TEST(Kallsyms, ChoosesOneOfSeveralNames) {
  const ListedSymbols symbols = ListedSymbols::parse_kallsyms(
      "1000 t local_and_long\n1000 T __x64_call\n1000 T call\n1000 W weak_one\n2000 T __a\n2000 T __ab\n");
  ASSERT_EQ(symbols.all().size(), 2u);
  EXPECT_EQ(symbols.all()[0].name, "call");
  EXPECT_EQ(symbols.all()[1].name, "__ab");
}

TEST(Kallsyms, SaysThatAddressesAreHidden) {
  const ListedSymbols symbols = ListedSymbols::parse_kallsyms("0000000000000000 T _text\n0000000000000000 t helper\n");
  EXPECT_TRUE(symbols.are_hidden());
  EXPECT_TRUE(symbols.all().empty());
  EXPECT_FALSE(ListedSymbols::parse_kallsyms("").are_hidden());
}

TEST(Kallsyms, CountsBadLines) {
  const ListedSymbols symbols =
      ListedSymbols::parse_kallsyms("nonsense\n1000 T\n1000 T good\n12345678901234567 T big\n");
  EXPECT_EQ(symbols.bad_lines(), 3u);
  ASSERT_EQ(symbols.all().size(), 1u);
}

TEST(Kallsyms, TheLastAddressOfAll) {
  const ListedSymbols symbols = ListedSymbols::parse_kallsyms("ffffffffffffffff T top");
  ASSERT_EQ(symbols.all().size(), 1u);
  EXPECT_EQ(symbols.find(0x1000), nullptr);
}

TEST(PerfMap, NamesWithSpacesAndReplacedCode) {
  const ListedSymbols symbols = ListedSymbols::parse_perf_map(
      "7f0000001000 40 py::old\n"
      "0x7f0000002000 0x10 LazyCompile:~add /app/main.js:3\n"
      "7f0000001000 20 py::new:/app/x.py\n"
      "7f0000001010 10 inner\n"
      "7f0000003000 0 empty\n"
      "7f0000004000 zz bad\n");
  ASSERT_EQ(symbols.all().size(), 3u);
  EXPECT_EQ(symbols.find(0x7f0000001000)->name, "py::new:/app/x.py");
  EXPECT_EQ(symbols.find(0x7f0000001010)->name, "inner");
  EXPECT_EQ(symbols.find(0x7f0000001020), nullptr);
  EXPECT_EQ(symbols.find(0x7f000000200f)->name, "LazyCompile:~add /app/main.js:3");
  EXPECT_EQ(symbols.find(0x7f0000003000), nullptr);
  EXPECT_EQ(symbols.bad_lines(), 1u);
}

TEST(PerfMap, SizesBeyondTheEnd) {
  const ListedSymbols symbols = ListedSymbols::parse_perf_map("ffffffffffffff00 200 wraps\n");
  EXPECT_TRUE(symbols.all().empty());
  EXPECT_EQ(symbols.bad_lines(), 1u);
}

}  // namespace
}  // namespace wperf::symbols
