// SPDX-License-Identifier: BSD-3-Clause
#include "ground/os/this_process.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <numeric>
#include <vector>

namespace wperf::os {
namespace {

TEST(OwnMemory, WhatCanBeReadIsCopied) {
  std::vector<std::uint8_t> from(10'000), to(from.size());
  std::iota(from.begin(), from.end(), std::uint8_t{3});
  EXPECT_TRUE(copy_own_memory(from.data(), std::as_writable_bytes(std::span(to))));
  EXPECT_EQ(from, to);
  EXPECT_TRUE(copy_own_memory(nullptr, {}));
}

TEST(OwnMemory, WhatCannotIsSaid) {
  std::byte to[16];
  for (const std::uintptr_t address : {std::uintptr_t{0}, std::uintptr_t{8}, ~std::uintptr_t{0} - 64}) {
    // NOLINTNEXTLINE(performance-no-int-to-ptr): this is the tested case
    EXPECT_FALSE(copy_own_memory(reinterpret_cast<const void*>(address), to)) << address;
  }
}

}  // namespace
}  // namespace wperf::os
