// SPDX-License-Identifier: BSD-3-Clause
#include "machine/pmu/extra_events.h"

#include <gtest/gtest.h>

namespace wperf::pmu {
namespace {

std::string refusal_of(std::string_view text) {
  ExtraEvents events;
  events.add_raw(EventClass::core, 0x99);
  const diag::Result<void> result = events.parse(text);
  EXPECT_EQ(events.all().size(), 1u) << "a refused text must register nothing";
  if (result.has_value()) return "accepted";
  EXPECT_TRUE(result.error().verbatim);
  return result.error().text;
}

TEST(ExtraEvents, NamesAndNumbers) {
  ExtraEvents events;
  ASSERT_TRUE(events.parse("Name_1:1b,name_2:0xFF,/DSU/x:0X10,/dmc_clk/y:0,/dmc_clkdiv2/z:ffff").has_value());
  ASSERT_EQ(events.all().size(), 5u);
  ASSERT_NE(events.find(EventClass::core, "name_1"), nullptr);
  EXPECT_EQ(events.find(EventClass::core, "name_1")->code, 0x1b);
  EXPECT_EQ(events.find(EventClass::core, "Name_1"), nullptr);  // must be exactly the stored name
  EXPECT_EQ(events.find(EventClass::core, u16{0xff})->name, "name_2");
  EXPECT_EQ(events.find(EventClass::dsu, "x")->code, 0x10);
  EXPECT_EQ(events.find(EventClass::core, "x"), nullptr);
  EXPECT_EQ(events.find(EventClass::dmc_clk, u16{0})->name, "y");
  EXPECT_EQ(events.find(EventClass::dmc_clkdiv2, "z")->code, 0xffff);
}

TEST(ExtraEvents, FirstNameForANumberWinsPerClass) {
  ExtraEvents events;
  ASSERT_TRUE(events.parse("first:1b,second:1b,/dsu/third:1b").has_value());
  ASSERT_TRUE(events.parse("fourth:0x1b").has_value());
  ASSERT_EQ(events.all().size(), 2u);
  EXPECT_EQ(events.find(EventClass::core, u16{0x1b})->name, "first");
  EXPECT_EQ(events.find(EventClass::dsu, u16{0x1b})->name, "third");
  EXPECT_TRUE(events.parse("first:0x1b").has_value()) << "the same once more";
  EXPECT_FALSE(events.parse("first:1c").has_value()) << "also in a second -E";
}

TEST(ExtraEvents, Refusals) {
  EXPECT_EQ(refusal_of(""), "nothing to parse!");
  EXPECT_EQ(refusal_of("a:1, b:2"), "whitespace not allowed in extra event string in 'a:1, b:2'");
  EXPECT_EQ(refusal_of("a:\t1"), "whitespace not allowed in extra event string in 'a:\t1'");
  EXPECT_EQ(refusal_of("a:1,,b:2"), "empty token in 'a:1,,b:2'");
  EXPECT_EQ(refusal_of("a:1,"), "empty token in 'a:1,'");
  EXPECT_EQ(refusal_of(","), "empty token in ','");
  EXPECT_EQ(refusal_of("a:1:2"), "too many delimeters in a:1:2");
  EXPECT_EQ(refusal_of("ok:1,a"), "missing extra event delimeter ':' in a");
  EXPECT_EQ(refusal_of("a:"), "missing extra event value after ':' in a:");
  EXPECT_EQ(refusal_of("a:0x"), "missing extra event value after ':' in a:0x");
  EXPECT_EQ(refusal_of("a:10000"), "extra event value out of range in a:10000");
  EXPECT_EQ(refusal_of("a:ffffffffffffffff1"), "extra event value out of range in a:ffffffffffffffff1");
  EXPECT_EQ(refusal_of("a:1g"), "extra event value is not a hexadecimal number in a:1g");
  EXPECT_EQ(refusal_of(":1"), "missing extra event name before ':' in :1");
  EXPECT_EQ(refusal_of("/dsu/:1"), "missing extra event name before ':' in /dsu/:1");
  EXPECT_EQ(refusal_of("foo:1b,Foo:70"), "two values for one extra event in Foo:70");
  EXPECT_EQ(refusal_of("/gpu/a:1"), "unknown event class prefix in /gpu/a:1");
}

TEST(ExtraEvents, RawNumbers) {
  ExtraEvents events;
  ASSERT_TRUE(events.parse("mine:1b").has_value());
  events.add_raw(EventClass::core, 0x1b);
  events.add_raw(EventClass::core, 0x8);
  events.add_raw(EventClass::core, 0x8);
  events.add_raw(EventClass::core, 0);
  events.add_raw(EventClass::core, 0x4005);
  events.add_raw(EventClass::dsu, 0xffff);
  ASSERT_EQ(events.all().size(), 5u);
  EXPECT_EQ(events.find(EventClass::core, u16{0x1b})->name, "mine");
  EXPECT_EQ(events.find(EventClass::core, u16{0x8})->name, "r8");
  EXPECT_EQ(events.find(EventClass::core, u16{0})->name, "r0");
  EXPECT_EQ(events.find(EventClass::core, "r4005")->code, 0x4005);
  EXPECT_EQ(events.find(EventClass::dsu, "rffff")->code, 0xffff);
}

}  // namespace
}  // namespace wperf::pmu
