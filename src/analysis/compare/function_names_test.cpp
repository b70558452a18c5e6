// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/compare/function_names.h"

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
  for (const std::string_view name :
       {"", "a.b", "f.0", "std::vector<int>::operator[]", "x::h012345678", ".part.0", "ns::hxyz456789abcdefg",
        "lambda.part_of", "memcpy@plt", "f(int) [abi:cxx11]", "server.cleanup", "server.destroy", "task.resume",
        "node.clone", "a.hot", "a.warm", "a.part", "a.llvm"}) {
    EXPECT_EQ(function_key(name), name);
  }
}

TEST(FunctionKey, MangledNamesLoseCloneSuffixes) {
  for (const std::string_view name : {"_Z4workv.resume", "_Z4workv.destroy", "_Z4workv.cleanup", "_Z4workv.clone",
                                      "_Z4workv.hot", "_Z4workv.warm.1"}) {
    EXPECT_EQ(function_key(name), "_Z4workv") << name;
  }
  EXPECT_EQ(function_key("work.resume.0"), "work");
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
  EXPECT_TRUE(is_meant("f", "a::(anonymous namespace)::f(int)"));
  EXPECT_TRUE(is_meant("a::f", "a::(anonymous namespace)::f(int)"));
  EXPECT_TRUE(is_meant("(anonymous namespace)::f", "a::(anonymous namespace)::f(int)"));
  EXPECT_FALSE(is_meant("(anonymous namespace)::f", "a::f(int)"));
  EXPECT_TRUE(is_meant("parse", "(anonymous namespace)::parse"));
  EXPECT_TRUE(is_meant("tmpl", "int tmpl<unsigned long, 300>(int)"));
  EXPECT_TRUE(is_meant("tmpl<unsigned long, 300>", "int tmpl<unsigned long, 300>(int)"));
  EXPECT_TRUE(is_meant("tmpl<unsigned long, 300>(int)", "int tmpl<unsigned long, 300>(int)"));
  EXPECT_FALSE(is_meant("tmpl<unsigned long, 301>", "int tmpl<unsigned long, 300>(int)"));
  EXPECT_TRUE(is_meant("vector::push_back", "std::vector<a::b<int> >::push_back(int&&)"));
  EXPECT_TRUE(is_meant("fmt", "<alloc::string::String as core::fmt::Display>::fmt"));
  EXPECT_TRUE(is_meant("__libc_start_main", "__libc_start_main@@GLIBC_2.34"));
  EXPECT_TRUE(is_meant("run", "std::function<void (int)> run<int>(void (*)(int)) const"));
  EXPECT_TRUE(is_meant("local::g", "f(int)::local::g(char)"));
  EXPECT_TRUE(is_meant("g", "decltype(auto) g(char)"));
  EXPECT_TRUE(is_meant("operator<<", "std::ostream& a::operator<< <int>(std::ostream&, int)"));
  EXPECT_TRUE(is_meant("a::operator->", "a::operator->() const"));
  EXPECT_TRUE(is_meant("operator new", "operator new(unsigned long)"));
  EXPECT_TRUE(is_meant("main.(*Server).Serve", "main.(*Server).Serve"));
  EXPECT_FALSE(is_meant("memcpy", "memcpy@plt"));
  EXPECT_FALSE(is_meant("int", "int tmpl<int>(int)"));
  EXPECT_FALSE(is_meant("parse", "reparse"));
  EXPECT_FALSE(is_meant("parse", "parse_all(int)"));
  EXPECT_FALSE(is_meant("parse", "f(parse)"));
}

}  // namespace
}  // namespace wperf::compare
