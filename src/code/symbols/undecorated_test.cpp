// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>

#include "code/symbols/symbolizer.h"

namespace wperf::symbols {
namespace {

TEST(Undecorated, Microsoft) {
  const std::pair<const char*, const char*> rows[] = {
      {"?x@@YAHH@Z", "x"},
      {"?x@@3HA", "x"},
      {"?value@Counter@shapes@@QEBAHXZ", "shapes::Counter::value"},
      {"??0Counter@shapes@@QEAA@XZ", "shapes::Counter::Counter"},
      {"??1Counter@shapes@@UEAA@XZ", "shapes::Counter::~Counter"},
      {"??HCounter@@QEAA?AV0@AEBV0@@Z", "Counter::operator+"},
      {"??BCounter@@QEBAHXZ", "Counter::operator int"},
      {"??2@YAPEAX_K@Z", "operator new"},
      {"??$sum_of@H@shapes@@YAHPEBHH@Z", "shapes::sum_of<int>"},
      {"??$sum_of@VCounter@shapes@@@shapes@@YAHPEBHH@Z", "shapes::sum_of<shapes::Counter>"},
      {"??$f@V?$A@V?$B@HN@@@@@@YAXXZ", "f<A<B<int,double> > >"},
      {"??5A@@QEAAAEAV0@H@Z", "A::operator>>"},
      {"??_7Counter@@6B@", "Counter::`vftable'"},
      {"??_GCounter@@UEAAPEAXI@Z", "Counter::`scalar deleting destructor'"},
      {"??__Ethe_table@@YAXXZ", "`dynamic initializer for 'the_table''"},
      {"?run@?A0x12345678@@YAXXZ", "`anonymous namespace'::run"},
      {"?f@@$$hYAHH@Z", "f"},
      {"??@a6a285da2eea70dba6b578022be61d81@", "??@a6a285da2eea70dba6b578022be61d81@"},
  };
  for (const auto& [decorated, plain] : rows) EXPECT_EQ(undecorated(decorated), plain) << decorated;
}

TEST(Undecorated, OtherCompilers) {
  EXPECT_EQ(undecorated("_ZN4wper3runEi"), "wper::run");
  EXPECT_EQ(undecorated("_ZNSt6vectorIiSaIiEE9push_backERKi"), "std::vector<int, std::allocator<int>>::push_back");
  EXPECT_EQ(undecorated("_Z1fIiEvT_"), "f<int>");
  EXPECT_EQ(undecorated("_RNvCskwGfYPst2Cb_3foo16example_function"), "foo::example_function");
  EXPECT_EQ(undecorated("_D8demangle4testi"), "demangle.test");
  EXPECT_EQ(undecorated("#exported_sum"), "exported_sum");
}

TEST(Undecorated, RustsOlderScheme) {
  const std::pair<const char*, const char*> rows[] = {
      {"_ZN4core3fmt5write17h0123456789abcdefE", "core::fmt::write"},
      {"_ZN2r24main28_$u7b$$u7b$closure$u7d$$u7d$17h0123456789abcdefE", "r2::main::{{closure}}"},
      {"_ZN41_$LT$r2..A$LT$T$GT$$u20$as$u20$r2..Op$GT$2go17h0123456789abcdefE", "<r2::A<T> as r2::Op>::go"},
      {"_ZN27a$RF$$BP$$C$$SP$$LP$$RP$b.c1d17h0123456789abcdefE", "a&*,@()b.c::d"},
      {"_ZN7$ue9$_x1d17h0123456789abcdefE", "\u00e9_x::d"},
      {"_ZN2r24main17h0123456789abcdefE.llvm.1234567890", "r2::main"},
      {"_ZN2r24main17h0123456789abcdefE.cold.1", "r2::main (.cold.1)"},
      // "$XX$" is not the code of a sign.
      {"_ZN7a$XX$bc1d17h0123456789abcdefE", "a$XX$bc::d"},
      {"_ZN5a$u0$1d17h0123456789abcdefE", "a$u0$::d"},
      {"_ZN8a$ud800$1d17h0123456789abcdefE", "a$ud800$::d"},
      {"_ZN3a$b1d17h0123456789abcdefE", "a$b::d"},
      // C++
      {"_ZN4main5r2$LTEv", "main::r2$LT"},
      {"_ZN17h0123456789abcdefE", "h0123456789abcdef"},
      {"_ZN1a17h0123456789abcdefEv", "a::h0123456789abcdef"},
      {"_ZN1a17h0123456789ABCDEFE", "a::h0123456789ABCDEF"},
  };
  for (const auto& [decorated, plain] : rows) EXPECT_EQ(undecorated(decorated), plain) << decorated;
}

TEST(Undecorated, Signatures) {
  EXPECT_EQ(signature("_ZN4wper3runEi"), "wper::run(int)");
  EXPECT_EQ(signature("_ZN4wper3runEPKc"), "wper::run(char const*)");
  EXPECT_EQ(signature("?f@@YAHH@Z"), "f(int)");
  EXPECT_EQ(signature("?f@@YAHPEBD@Z"), "f(char const *)");
  EXPECT_EQ(signature("main"), "");
  EXPECT_EQ(signature("_ZN4"), "");
}

TEST(Undecorated, WhatIsPlainOrDamagedStays) {
  for (const char* name : {"", "main", "x_mul", "std::vector<int>::push_back", "?", "??", "?x@@", "_Z", "_R", "_D", "#",
                           "?x@@YAHH", "_ZN4", "_ZN99999999999999999999xE", "?\xff\x80@@YAXXZ"}) {
    const std::string plain = undecorated(name);
    EXPECT_FALSE(plain.empty() && name[0] != '\0') << name;
  }
  EXPECT_EQ(undecorated("main"), "main");
  EXPECT_EQ(undecorated("std::vector<int>::push_back"), "std::vector<int>::push_back");
  EXPECT_EQ(undecorated("_Z"), "_Z");
}

// Deep nesting must not crash, whatever the length. Names longer than any that linkers write are returned unchanged.
TEST(Undecorated, DeepNames) {
  for (const size_t depth : {10u, 1000u, 4000u, 100000u}) {
    for (const auto& [start, step, end] :
         {std::array{"?f@@YAX", "PEA", "H@Z"}, std::array{"?f@@3", "P6A", "XZA"}, std::array{"??$f@", "V?$a@", "H@Z"},
          std::array{"_Z1f", "P", "i"}, std::array{"_ZN", "1aI", "iE"}, std::array{"_RIC1a", "TR", "l"},
          std::array{"_D1a", "A", "i"}, std::array{"_Z1fDpPKO", "F", "vE"}}) {
      std::string name = start;
      while (name.size() < depth) name += step;
      name += end;
      const std::string plain = undecorated(name);
      if (name.size() > 4096) {
        EXPECT_EQ(plain, name);
      }
    }
  }
}

// Names that grow without bound: each list contains the next inner list four times.
TEST(Undecorated, NamesThatWouldExplodeStay) {
  std::string microsoft = "V?$A@H@@", functions = "H", itanium = "1AIiiE", rust = "NtC1a1b";
  for (int i = 0; i < 30; ++i) {
    const std::string reference = i == 0 ? "S_" : fmt::format("S{}_", i - 1);
    microsoft = fmt::format("V?$A@{}V1@V1@V1@V1@@@", microsoft);
    functions = fmt::format("P6AX{}0000@Z", functions);
    itanium = fmt::format("1AI{}{}{}{}E", itanium, reference, reference, reference);
    rust = fmt::format("T{}B3_B3_B3_E", rust);
  }
  for (const std::string& name : {"??$f@" + microsoft + "@YAXXZ", "?f@@YAX" + functions + "@Z",
                                  "_Z1fI" + itanium + "EvT_", "_RINvC1a1f" + rust + "E"}) {
    EXPECT_EQ(undecorated(name), name);
  }
  // Names whose references are in parameters, which undecorated() does not show, are short.
  EXPECT_EQ(undecorated("_Z1f" + itanium), "f");
  EXPECT_EQ(signature("_Z1f" + itanium), "");
  // The longest name in a real program, with many references, is still undecorated.
  EXPECT_EQ(
      undecorated("??$_Reallocate_grow_by@V<lambda_1>@?1??insert@?$basic_string@_WU?$char_traits@_W@std@@V?$allocator"
                  "@_W@2@@std@@QEAAAEAV34@_KQEB_W0@Z@_KPEB_W_K@?$basic_string@_WU?$char_traits@_W@std@@V?$allocator@"
                  "_W@2@@std@@AEAAAEAV01@_KV<lambda_1>@?1??insert@01@QEAAAEAV01@0QEB_W0@Z@_KPEB_W3@Z")
          .substr(0, 54),
      "std::basic_string<wchar_t,std::char_traits<wchar_t>,st");
}

// A pack expansion repeats its pattern for each element.
TEST(Undecorated, PackExpansions) {
  const std::string elements(40, 'i');
  std::string pattern = "T_";
  EXPECT_EQ(signature("_Z1fIJidEEvDpP1AIT_E"), "void f<int, double>(A<int>*, A<double>*)");
  for (int depth = 1; depth <= 12; ++depth) {
    pattern = fmt::format("1AIJDp{0}Dp{0}EE", pattern);
    if (pattern.size() > 4000) break;
    EXPECT_LT(signature(fmt::format("_Z1fIJ{}EEvDp{}", elements, pattern)).size(), 5'000'000u);
  }
}

// The type of a conversion function may use template arguments that come after it, and these arguments may use the
// type: a cycle.
TEST(Undecorated, LaterArguments) {
  EXPECT_EQ(undecorated("_ZN1AcvPT_IiEEv"), "A::operator int*<int>");
  EXPECT_EQ(undecorated("_ZN1AcvPT_IS1_EEv"), "_ZN1AcvPT_IS1_EEv");
  std::string type = "1BIT_T_E";
  for (int i = 0; i < 60; ++i) type = fmt::format("1BI{}S{}_E", type, i == 0 ? "0" : fmt::format("{}", i % 10));
  const std::string name = fmt::format("_ZN1Acv{}IiEEv", type);
  EXPECT_LT(undecorated(name).size(), 5'000'000u);
}

TEST(Undecorated, ManyParameters) {
  EXPECT_EQ(
      undecorated("_ZN5clang4Sema8ActOnTagEPNS_5ScopeEjNS_10TagUseKindENS_14SourceLocationERNS_12CXXScopeSpecEPNS_14Ide"
                  "ntifierInfoES4_RKNS_20ParsedAttributesViewENS_15AccessSpecifierES4_N4llvm15MutableArrayRefIPNS_21Tem"
                  "plateParameterListEEERbSI_S4_bNS_12ActionResultINS_9OpaquePtrINS_8QualTypeEEELb0EEEbbNS0_12OffsetOfK"
                  "indEPNS_12SkipBodyInfoE"),
      "clang::Sema::ActOnTag");
}

}  // namespace
}  // namespace wperf::symbols
