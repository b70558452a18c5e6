// SPDX-License-Identifier: BSD-3-Clause
#include "pipeline/kernel_functions.h"

#include <gtest/gtest.h>

namespace wperf::pipeline {
namespace {

TEST(KernelFunctions, NamesByAddress) {
  const KernelFunctions list = KernelFunctions::parse(
      "ffffffff81000000 T _stext\n"
      "ffffffff81000000 T _text\n"
      "ffffffff81002000 t second\n"
      "ffffffff81001000 W first\n"
      "ffffffff81001800 d data_is_no_function\n"
      "ffffffffc0100000 t of_module\t[module]\n"
      "rubbish\n\nffff\nffffffff81003000 T\nffffffff81003000 T ");
  ASSERT_FALSE(list.empty());
  EXPECT_EQ(list.base(), 0xffffffff81000000u);
  const auto answers = list.answers_of({0x10, 0x1fff, 0x2000, 0x3f100000});
  ASSERT_EQ(answers.size(), 4u);
  EXPECT_EQ(answers[0].function, "_stext");
  EXPECT_EQ(answers[0].function_end, 0x1000u);
  EXPECT_EQ(answers[1].function, "first");
  EXPECT_EQ(answers[1].function_begin, 0x1000u);
  EXPECT_EQ(answers[2].function, "second");
  EXPECT_EQ(answers[3].function, "of_module");
}

TEST(KernelFunctions, HiddenAddressesAreNone) {
  const KernelFunctions list = KernelFunctions::parse("0000000000000000 T _text\n0000000000000000 t other\n");
  EXPECT_TRUE(list.empty());
  EXPECT_EQ(list.size(), 0u);
  EXPECT_TRUE(list.answers_of({1, 2}).empty());
}

}  // namespace
}  // namespace wperf::pipeline
