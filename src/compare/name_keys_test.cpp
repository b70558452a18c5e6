// SPDX-License-Identifier: BSD-3-Clause
#include "compare/name_keys.h"

#include <gtest/gtest.h>

namespace wperf::compare {
namespace {

TEST(FunctionKey, IsWithoutWhatCompilersAdd) {
  for (const std::string_view name :
       {"parse", "parse.isra.0", "parse.part.12", "parse.cold", "parse.constprop.0.isra.1", "parse.llvm.1234567890",
        "parse.cold.3", "parse.lto_priv.0", "parse [clone .isra.0]", "parse [clone .constprop.1] [clone .part.2]",
        "parse::h0123456789abcdef", "parse (inlined)", "parse::h0123456789abcdef (inlined)",
        "parse::h0123456789abcdef.llvm.77"}) {
    EXPECT_EQ(function_key(name), "parse") << name;
  }
}

TEST(FunctionKey, KeepsWhatBelongsToTheName) {
  for (const std::string_view name : {"", "a.b", "f.0", "std::vector<int>::operator[]", "x::h012345678", ".part.0",
                                      "ns::hxyz456789abcdefg", "lambda.part_of", "memcpy@plt", "f(int) [abi:cxx11]"}) {
    EXPECT_EQ(function_key(name), name);
  }
}

TEST(FunctionKey, AnonymousNamespacesAreOne) {
  EXPECT_EQ(function_key("a::`anonymous namespace'::f"), "a::(anonymous namespace)::f");
  EXPECT_EQ(function_key("?A0x1f3ab::f"), "(anonymous namespace)::f");
  EXPECT_EQ(function_key("a::{anonymous}::f(int)"), "a::(anonymous namespace)::f(int)");
  EXPECT_EQ(function_key("a::(anonymous namespace)::f"), "a::(anonymous namespace)::f");
}

TEST(IsMeant, TakesANameAsPeopleWriteIt) {
  EXPECT_TRUE(is_meant("*", "anything"));
  EXPECT_TRUE(is_meant("parse", "parse"));
  EXPECT_TRUE(is_meant("parse", "parse(char const*)"));
  EXPECT_TRUE(is_meant("parse", "json::parser::parse(char const*, int)"));
  EXPECT_TRUE(is_meant("parser::parse", "json::parser::parse(char const*)"));
  EXPECT_TRUE(is_meant("parse", "parse.isra.0"));
  EXPECT_TRUE(is_meant("json::parse(int)", "json::parse(int)"));
  EXPECT_TRUE(is_meant("f::operator()", "f::operator()(int) const"));
  EXPECT_FALSE(is_meant("parse", "reparse"));
  EXPECT_FALSE(is_meant("parse", "parse_all(int)"));
  EXPECT_FALSE(is_meant("parse", "f(parse)"));
}

}  // namespace
}  // namespace wperf::compare
