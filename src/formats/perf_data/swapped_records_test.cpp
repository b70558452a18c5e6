// SPDX-License-Identifier: BSD-3-Clause
#include "formats/perf_data/swapped_records.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "formats/perf_data/perf_data_builder_test.h"

namespace wperf::perf_data {
namespace {

using test::Fields;

u32 turned(u32 value) {
  auto* const bytes = reinterpret_cast<std::byte*>(&value);
  std::reverse(bytes, bytes + sizeof value);
  return value;
}

Fields kinds_of_cores() {
  return Fields()
      .u32s({turned(2), turned(16)})
      .text("cpu_core", 16)
      .u32s({turned(8)})
      .text("0-3", 8)
      .u32s({turned(16)})
      .text("cpu_atom", 16)
      .u32s({turned(8)})
      .text("4-7", 8);
}

std::vector<CorePmu> read_turned(std::vector<std::byte>& section) {
  swap_feature(Feature::hybrid_topology, section);
  Features features;
  features.set(static_cast<u32>(Feature::hybrid_topology), section);
  return features.core_pmus();
}

TEST(SwappedRecords, KindsOfCores) {
  std::vector<std::byte> section = kinds_of_cores().all();
  const std::vector<CorePmu> kinds = read_turned(section);
  ASSERT_EQ(kinds.size(), 2u);
  EXPECT_EQ(kinds[0].name, "cpu_core");
  EXPECT_EQ(kinds[0].cores, "0-3");
  EXPECT_EQ(kinds[1].name, "cpu_atom");
  EXPECT_EQ(kinds[1].cores, "4-7");
}

TEST(SwappedRecords, KindsOfCoresThatAreCut) {
  const Fields whole = kinds_of_cores();
  for (usize size = 0; size < whole.size(); ++size) {
    std::vector<std::byte> section(whole.all().begin(), whole.all().begin() + static_cast<std::ptrdiff_t>(size));
    EXPECT_LT(read_turned(section).size(), 2u) << size;
  }
}

}  // namespace
}  // namespace wperf::perf_data
