// SPDX-License-Identifier: BSD-3-Clause
#include "code/python/evaluation.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "code/symbols/elf/elf_builder_test.h"
#include "ground/os/mapped_file.h"

namespace wperf::python {
namespace {

TEST(PythonEvaluation, NeedsTheFunctionsName) {
  const auto bytes = symbols::ElfBuilder().build();
  EXPECT_TRUE(evaluation_parts(symbols::ElfFile::parse(bytes).value()).empty());
}

TEST(PythonEvaluation, HasDisjointPartsInTheInterpreterOfThisMachine) {
  const auto mapped = os::MappedFile::open("/usr/bin/python3.11");
  if (!mapped.has_value()) GTEST_SKIP() << "there is no /usr/bin/python3.11";
  const auto file = symbols::ElfFile::parse(mapped.value().bytes());
  ASSERT_TRUE(file.has_value());
  std::vector<code::AddressRange> parts = evaluation_parts(file.value());
  ASSERT_FALSE(parts.empty());
  std::ranges::sort(parts, {}, &code::AddressRange::begin);
  u64 whole = 0, last = 0;
  for (const code::AddressRange& part : parts) {
    EXPECT_LE(last, part.begin);
    last = part.end;
    whole += part.end - part.begin;
  }
  EXPECT_GT(whole, u64{20'000}) << "an interpreter's loop is long";
  EXPECT_LT(whole, u64{400'000});
}

}  // namespace
}  // namespace wperf::python
