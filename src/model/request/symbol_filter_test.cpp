// SPDX-License-Identifier: BSD-3-Clause
#include "model/request/symbol_filter.h"

#include <gtest/gtest.h>

namespace wperf::request {
namespace {

TEST(SymbolFilter, Matches) {
  struct Case {
    const char *filter, *name;
    bool shown;
  };
  constexpr Case kCases[] = {
      {"x_mul", "x_mul", true},
      {"x_mul", "X_Mul", true},
      {"x_mul", "x_mul2", false},
      {"x_mul", "ax_mul", false},
      {"^x_mul$", "x_mul", true},
      {"^x_mul$", "X_MUL", true},
      {"^x_mul$", "x_mu", false},
      {"^x_", "x_mul", true},
      {"^X_", "x_mul", true},
      {"^x_", "x_", true},
      {"^x_", "x", false},
      {"^x_", "ax_mul", false},
      {"mul$", "x_mul", true},
      {"MUL$", "x_mul", true},
      {"mul$", "x_mul2", false},
      {"mul$", "ul", false},
      {"^", "anything", true},
      {"$", "anything", true},
      {"^", "", true},
      {"", "anything", true},
      {"operator^", "operator^", true},
      {"^operator^", "operator^=", true},
      {"x", "", false},
  };
  for (const Case& c : kCases) {
    EXPECT_EQ(matches(parse_symbol_filter(c.filter), c.name), c.shown) << c.filter << " on " << c.name;
  }
}

}  // namespace
}  // namespace wperf::request
