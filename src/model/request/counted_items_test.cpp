// SPDX-License-Identifier: BSD-3-Clause
#include "model/request/counted_items.h"

#include <gtest/gtest.h>

#include <chrono>
#include <string>

#include "model/request/sampling_options.h"

namespace wperf::request {
namespace {

// class:text[=number][#group] for each token, or the error.
std::string events_of(std::string_view text) {
  const auto result = parse_event_list(text);
  if (!result.has_value()) {
    EXPECT_TRUE(result.error().verbatim);
    return result.error().text;
  }
  std::string out;
  for (const EventToken& token : result.value().tokens) {
    if (!out.empty()) out += ' ';
    if (token.event_class != EventClass::core) out += std::string(class_name(token.event_class)) + ":";
    out += token.text;
    if (token.number.has_value()) out += "=" + std::to_string(*token.number);
    if (token.group.has_value()) out += "#" + std::to_string(*token.group);
  }
  return out;
}

TEST(EventList, ALongListIsReadOnce) {
  constexpr usize kNames = 400'000;
  std::string text;
  for (usize i = 0; i < kNames; ++i) text += "ld_spec,";
  const auto begin = std::chrono::steady_clock::now();
  EXPECT_EQ(parse_event_list(text).value().tokens.size(), kNames);
  EXPECT_EQ(parse_sampling_list(text).value().size(), kNames);
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(10));
}

TEST(EventList, NamesKeepTheirSpelling) {
  EXPECT_EQ(events_of("inst_spec"), "inst_spec");
  EXPECT_EQ(events_of("Inst_Spec,VFP_SPEC,inst_spec"), "Inst_Spec VFP_SPEC inst_spec");
}

TEST(EventList, RawNumbers) {
  EXPECT_EQ(events_of("rf,r1b,rffff,27,0x1b,033,0"), "rf=15 r1b=27 rffff=65535 27=27 0x1b=27 033=27 0=0");
  EXPECT_EQ(events_of("r"), "r");
  EXPECT_EQ(events_of("r1g,rx1,0x,08,1b"), "r1g rx1 0x 08 1b");
  EXPECT_EQ(events_of("r82,r82"), "r82=130 r82=130");
  EXPECT_EQ(events_of("{r1b,0x10}"), "r1b=27#0 0x10=16#0");
}

TEST(EventList, NumbersOutOfRange) {
  EXPECT_EQ(events_of("r10000"), "extra event value out of range in r10000");
  EXPECT_EQ(events_of("65536"), "extra event value out of range in 65536");
  EXPECT_EQ(events_of("0x10000"), "extra event value out of range in 0x10000");
  EXPECT_EQ(events_of("rfffffffffffffffffff"), "extra event value out of range in rfffffffffffffffffff");
  EXPECT_EQ(events_of("{inst_spec,99999999999999999999}"), "extra event value out of range in 99999999999999999999");
}

TEST(EventList, Groups) {
  EXPECT_EQ(events_of("{a,b}"), "a#0 b#0");
  EXPECT_EQ(events_of("x,{a,b},y,{c,d,e}"), "x a#0 b#0 y c#1 d#1 e#1");
  EXPECT_EQ(events_of("{x}"), "x");
  EXPECT_EQ(events_of("{x},{a,b}"), "x a#0 b#0");
}

TEST(EventList, Prefixes) {
  EXPECT_EQ(events_of("/dsu/l3d_cache"), "dsu:l3d_cache");
  EXPECT_EQ(events_of("/DSU/l3d_cache,/Dmc_Clk/x,/dmc_clkdiv2/rdwr"), "dsu:l3d_cache dmc_clk:x dmc_clkdiv2:rdwr");
  EXPECT_EQ(events_of("/dsu/{l3d_cache,/dsu/l3d_cache_refill}"), "dsu:l3d_cache#0 dsu:l3d_cache_refill#0");
  EXPECT_EQ(events_of("/dsu/{l3d_cache,l3d_cache_refill},inst_spec"),
            "dsu:l3d_cache#0 dsu:l3d_cache_refill#0 inst_spec");
  EXPECT_EQ(events_of("{/dsu/l3d_cache,/dsu/r2a}"), "dsu:l3d_cache#0 dsu:r2a=42#0");
  EXPECT_EQ(events_of("/dmc_clk/0x1"), "dmc_clk:0x1=1");
  EXPECT_EQ(events_of("/dsx/a,/dsu,dsu/"), "/dsx/a /dsu dsu/");
}

TEST(EventList, BrokenGroups) {
  EXPECT_EQ(events_of("{a,{b}"), "nested group is not supported {b}");
  EXPECT_EQ(events_of("{a,{b,c}}"), "nested group is not supported {b");
  EXPECT_EQ(events_of("{{a}"), "nested group is not supported {{a}");
  EXPECT_EQ(events_of("a,b}"), "missing '{' for event group b}");
  EXPECT_EQ(events_of("{a,b},c}"), "missing '{' for event group c}");
  EXPECT_EQ(events_of("{a,b"), "missing '}' for event group {a");
  EXPECT_EQ(events_of("x,/dsu/{a,b"), "missing '}' for event group /dsu/{a");
  EXPECT_EQ(events_of("{a,/dsu/b}"), "event group mixes core and dsu events: /dsu/b}");
  EXPECT_EQ(events_of("/dsu/{a,/dmc_clk/b}"), "event group mixes dsu and dmc_clk events: /dmc_clk/b}");
}

TEST(EventList, EmptyPlaces) {
  EXPECT_EQ(events_of(""), "");
  EXPECT_EQ(events_of("a,"), "a");
  for (const char* list : {",a", "a,,b", "{}", "{a,}", "/dsu/", "/dsu/{}"}) {
    const auto result = parse_event_list(list);
    ASSERT_FALSE(result.has_value()) << list;
    EXPECT_EQ(result.error().text, "a name is missing in '" + std::string(list) + "'");
  }
  EXPECT_EQ(events_of("{"), "missing '}' for event group {");
  EXPECT_EQ(events_of("}"), "missing '{' for event group }");
  EXPECT_EQ(events_of("{,"), "missing '}' for event group {");
}

TEST(EventList, CommasInsideOfUnitEvents) {
  const auto list = parse_event_list("a,cpu/event=1,umask=2/,{x/y,z/,b},/dsu/l3d_cache,c");
  ASSERT_TRUE(list.has_value());
  std::string texts;
  for (const EventToken& token : list.value().tokens) texts += token.text + " ";
  EXPECT_EQ(texts, "a cpu/event=1,umask=2/ x/y,z/ b l3d_cache c ");
  EXPECT_EQ(list.value().tokens[4].event_class, EventClass::dsu);
}

std::string ranges_of(std::string_view text) {
  const auto result = parse_core_list(text);
  if (!result.has_value()) return result.error().text;
  std::string out;
  for (const CoreRange& range : result.value()) {
    if (!out.empty()) out += ' ';
    out += std::to_string(range.first) + ".." + std::to_string(range.last);
  }
  return out;
}

TEST(CoreList, NumbersAndRangesInEitherDirection) {
  EXPECT_EQ(ranges_of("0"), "0..0");
  EXPECT_EQ(ranges_of("3,1,2"), "3..3 1..1 2..2");
  EXPECT_EQ(ranges_of("0-3"), "0..3");
  EXPECT_EQ(ranges_of("3-1"), "1..3");
  EXPECT_EQ(ranges_of("7,0-2,1-1,7"), "7..7 0..2 1..1 7..7");
}

TEST(CoreList, NumbersAbove255DoNotWrap) {
  EXPECT_EQ(ranges_of("256"), "256..256");
  EXPECT_EQ(ranges_of("65536"), "65536..65536");
  EXPECT_EQ(ranges_of("4294967295"), "4294967295..4294967295");
  EXPECT_EQ(ranges_of("4294967296"), "core index 4294967296 not allowed, see option -c <n>");
}

TEST(CoreList, BadFormat) {
  for (const char* bad :
       {"", ",", "1,", ",1", "a", "1-", "-1", "1-2-3", "1 2", " 1", "1,,2", "0x1", "1-a", "1;2", "1.0"}) {
    EXPECT_EQ(ranges_of(bad),
              "option -c format not supported, use comma separated list of integers, or range of integers")
        << bad;
  }
}

TEST(CoreList, AtMost128Entries) {
  EXPECT_EQ(ranges_of("0-127"), "0..127");
  EXPECT_EQ(ranges_of("0-128"), "you can specify up to 128cores with -c <cpu_list> option");
  EXPECT_EQ(ranges_of("0-4294967295"), "you can specify up to 128cores with -c <cpu_list> option");
  std::string many = "0";
  for (int i = 1; i < 128; ++i) many += ",0";
  EXPECT_TRUE(parse_core_list(many).has_value());
  many += ",0";
  EXPECT_EQ(ranges_of(many), "you can specify up to 128cores with -c <cpu_list> option");
}

TEST(CoreList, OfOursTheErrorsNameTheOptionAndThereIsNoLimit) {
  EXPECT_EQ(parse_core_list("0-255", kSampledCores).value().at(0).last, 255u);
  EXPECT_EQ(parse_core_list("x", kSampledCores).error().text,
            "option --cores format not supported, use comma separated list of integers, or range of integers");
  EXPECT_EQ(parse_core_list("4294967296", kSampledCores).error().text,
            "core index 4294967296 not allowed, see option --cores <n>");
}

}  // namespace
}  // namespace wperf::request
