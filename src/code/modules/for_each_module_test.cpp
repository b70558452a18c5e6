// SPDX-License-Identifier: BSD-3-Clause
#include "code/modules/for_each_module.h"

#include <gtest/gtest.h>

#include <stdexcept>

namespace wperf::modules {
namespace {

TEST(ForEachModule, EachOnceAndDoneWhenItReturns) {
  for (const size_t count : {size_t{0}, size_t{1}, size_t{7}, size_t{1000}}) {
    std::vector<int> visits(count);
    for_each_module(count, [&](size_t i) { ++visits[i]; });
    EXPECT_EQ(visits, std::vector<int>(count, 1));
  }
}

TEST(ForEachModule, WhatOneThrowsComesOut) {
  EXPECT_THROW(for_each_module(1, [](size_t) { throw std::runtime_error("x"); }), std::runtime_error);
}

}  // namespace
}  // namespace wperf::modules
