// SPDX-License-Identifier: BSD-3-Clause
#include "model/request/sampling_options.h"

#include <gtest/gtest.h>

#include "ground/diag/names_all_test.h"

namespace wperf::request {
namespace {

// text[=number][:interval] for each event, or the error.
std::string sampled_of(std::string_view text) {
  const auto result = parse_sampling_list(text);
  if (!result.has_value()) {
    EXPECT_TRUE(result.error().verbatim);
    return result.error().text;
  }
  std::string out;
  for (const SampledEvent& event : result.value()) {
    if (event.interval_error.has_value()) return event.interval_error->text;
    if (!out.empty()) out += ' ';
    out += event.text;
    if (event.number.has_value()) out += "=" + std::to_string(*event.number);
    if (event.interval.has_value()) out += ":" + std::to_string(*event.interval);
  }
  return out;
}

std::string invalid(std::string_view interval) {
  return "event interval: " + std::string(interval) +
         " is invalid!\nnote: an interval is a number: decimal, hexadecimal after 0x, or octal after 0";
}

std::string out_of_range(std::string_view interval) {
  return "event interval: " + std::string(interval) +
         " is out of range!\nnote: an interval is 1 to 4294967295 (0xffffffff)";
}

TEST(SamplingList, NamesAndNumbers) {
  EXPECT_EQ(sampled_of("ld_spec"), "ld_spec");
  EXPECT_EQ(sampled_of("Ld_Spec,r70,0x70,112,ld_spec"), "Ld_Spec r70=112 0x70=112 112=112 ld_spec");
  EXPECT_EQ(sampled_of("r10000:5"), "extra event value out of range in r10000");
}

TEST(SamplingList, IntervalsInCNotation) {
  EXPECT_EQ(sampled_of("ld_spec:100000"), "ld_spec:100000");
  EXPECT_EQ(sampled_of("a:1,b,r1b:0x10,c:010"), "a:1 b r1b=27:16 c:8");
  EXPECT_EQ(sampled_of("a:0XfF"), "a:255");
  EXPECT_EQ(sampled_of("a:4294967295,b:0xffffffff"), "a:4294967295 b:4294967295");
}

TEST(SamplingList, InvalidIntervals) {
  for (const char* bad : {"a",  "text", "_123", "x1",      "0xp",   "0xp123", "0x",    "",    "-1", "+1",
                          " 1", "{1",   "k100", "100000k", "0x1gp", "0189",   "10:20", "1.5", "08", "8589934591x"}) {
    EXPECT_EQ(sampled_of("ld_spec:" + std::string(bad)), invalid(bad));
  }
}

TEST(SamplingList, IntervalsOutOfRange) {
  for (const char* bad : {"8589934591", "8589934590", "4294967296", "0x100000000", "0", "0x0", "00",
                          "18446744073709551616", "99999999999999999999999999"}) {
    EXPECT_EQ(sampled_of("ld_spec:" + std::string(bad)), out_of_range(bad));
  }
}

TEST(SamplingList, TheFirstMistakeIsTold) {
  EXPECT_EQ(sampled_of("a:1,b:x,c:0"), invalid("x"));
  EXPECT_EQ(sampled_of("a:0,b:x"), out_of_range("0"));
  EXPECT_EQ(sampled_of("r10000:x"), "extra event value out of range in r10000");
}

TEST(SamplingList, NeitherGroupsNorPrefixes) {
  EXPECT_EQ(sampled_of("{a,b:2}"), invalid("2}"));
  EXPECT_EQ(sampled_of("{a,b}"), "{a b}");
  EXPECT_EQ(sampled_of("/dsu/l3d_cache:5"), "/dsu/l3d_cache:5");
}

TEST(SamplingList, TracepointsAndUnits) {
  const auto events = parse_sampling_list("sched:sched_switch,irq:irq_handler_entry:7,cpu/event=1,umask=2/:5,b");
  ASSERT_TRUE(events.has_value());
  ASSERT_EQ(events.value().size(), 4u);
  EXPECT_EQ(events.value()[0].text, "sched:sched_switch");
  EXPECT_TRUE(events.value()[0].interval_error.has_value()) << "elsewhere it is a wrong interval";
  EXPECT_FALSE(events.value()[0].interval.has_value());
  EXPECT_EQ(events.value()[1].text, "irq:irq_handler_entry");
  EXPECT_EQ(events.value()[1].interval, 7u);
  EXPECT_EQ(events.value()[2].text, "cpu/event=1,umask=2/");
  EXPECT_EQ(events.value()[2].interval, 5u);
  EXPECT_FALSE(events.value()[2].interval_error.has_value());
}

TEST(SamplingList, ModifiersStandBetweenNameAndInterval) {
  const auto events = parse_sampling_list("cycles:u:7,sched:sched_switch:k:5,sched:sched_switch:k,cpu/event=1/u:3");
  ASSERT_TRUE(events.has_value());
  ASSERT_EQ(events.value().size(), 4u);
  EXPECT_EQ(events.value()[0].text, "cycles:u");
  EXPECT_EQ(events.value()[0].interval, 7u);
  EXPECT_EQ(events.value()[1].text, "sched:sched_switch:k");
  EXPECT_EQ(events.value()[1].interval, 5u);
  EXPECT_TRUE(events.value()[1].interval_error.has_value()) << "elsewhere it is a wrong interval";
  EXPECT_EQ(events.value()[2].text, "sched:sched_switch:k");
  EXPECT_FALSE(events.value()[2].interval.has_value());
  EXPECT_EQ(events.value()[3].text, "cpu/event=1/u");
  EXPECT_EQ(events.value()[3].interval, 3u);
  EXPECT_EQ(sampled_of("ld_spec:a:b:c:5"), invalid("c:5"));
}

TEST(SamplingList, EmptyPlaces) {
  EXPECT_EQ(sampled_of(""), "");
  EXPECT_EQ(sampled_of("a,"), "a");
  for (const char* list : {",a", "a,,b", ":5", "a:1,:5"}) {
    const auto result = parse_sampling_list(list);
    ASSERT_FALSE(result.has_value()) << list;
    EXPECT_EQ(result.error().text, "a name is missing in '" + std::string(list) + "'");
  }
}

TEST(CallGraph, WaysToRecordStacks) {
  EXPECT_EQ(parse_call_graph("auto").value().source, StackSource::automatic);
  EXPECT_EQ(parse_call_graph("auto").value().stack_bytes, 16384u);
  EXPECT_EQ(parse_call_graph("fp").value().source, StackSource::frame_pointers);
  EXPECT_EQ(parse_call_graph("dwarf").value().source, StackSource::stack_copies);
  EXPECT_EQ(parse_call_graph("dwarf").value().stack_bytes, 8192u);
  EXPECT_EQ(parse_call_graph("dwarf,16384").value().stack_bytes, 16384u);
  EXPECT_EQ(parse_call_graph("dwarf,65528").value().stack_bytes, 65528u);
}

TEST(CallGraph, WhatIsRefused) {
  for (const char* text : {"", "lbr", "fp,8", "dwarf,", "dwarf,0", "dwarf,12", "dwarf,65536", "dwarf,x", "dwarf,-8"}) {
    const auto parsed = parse_call_graph(text);
    ASSERT_FALSE(parsed.has_value()) << text;
    EXPECT_EQ(parsed.error().code, diag::ExitCode::usage);
    EXPECT_FALSE(parsed.error().hint.empty());
  }
}

// name=value for each filter, or the error.
std::string filters_of(std::string_view filters) {
  const std::string text = "arm_spe_0/" + std::string(filters) + "/";
  EXPECT_TRUE(is_spe_list(text));
  const auto result = parse_spe_list(text);
  if (!result.has_value()) {
    EXPECT_TRUE(result.error().verbatim);
    return result.error().text;
  }
  std::string out;
  for (const SpeFilter& filter : result.value().filters) {
    if (!out.empty()) out += ' ';
    out += filter.name + "=" + std::to_string(filter.value);
  }
  return out;
}

TEST(SpeList, WhatIsOne) {
  for (const char* text : {"arm_spe_0//", "arm_spe_0/ld=1/", "arm_spe_0/x/", "arm_spe_0/,/", "arm_spe_0///"}) {
    EXPECT_TRUE(is_spe_list(text)) << text;
  }
  for (const char* text : {"", "arm_spe_0", "arm_spe_0/", "arm_spe_0/ld=1", "arm_spe_1/ld=1/", "ARM_SPE_0//",
                           "x,arm_spe_0//", "arm_spe_0/ld=1/,ld_spec"}) {
    EXPECT_FALSE(is_spe_list(text)) << text;
  }
}

TEST(SpeList, Filters) {
  EXPECT_EQ(filters_of(""), "");
  EXPECT_EQ(filters_of("load_filter=1,st=0,min=0xff,ts=01"), "load_filter=1 st=0 min=255 ts=1");
  EXPECT_EQ(filters_of("ld=1,"), "ld=1");
  EXPECT_EQ(filters_of("whatever=99999"), "whatever=99999");  // only plan knows which filters exist
  EXPECT_EQ(filters_of("min=99999999999999999999999"), "min=18446744073709551615");
}

TEST(SpeList, FiltersWithoutAValue) {
  EXPECT_EQ(filters_of("ld"), "incorrect SPE filter: 'ld' in ld");
  EXPECT_EQ(filters_of("ld=1,st,b=1"), "incorrect SPE filter: 'st' in ld=1,st,b=1");
  EXPECT_EQ(filters_of(",ld=1"), "incorrect SPE filter: '' in ,ld=1");
}

TEST(SpeList, FiltersWithoutAName) {
  EXPECT_EQ(filters_of("=1"), "incorrect SPE filter name: '=1'");
  EXPECT_EQ(filters_of("ld=1,="), "incorrect SPE filter name: '='");
}

TEST(SpeList, BadValues) {
  EXPECT_EQ(filters_of("ld=x"), "incorrect SPE filter value: ld='x'.");
  EXPECT_EQ(filters_of("ld="), "incorrect SPE filter value: ld=''.");
  EXPECT_EQ(filters_of("ld=-1"), "incorrect SPE filter value: ld='-1'.");
  EXPECT_EQ(filters_of("min=0x"), "incorrect SPE filter value: min='0x'.");
  EXPECT_EQ(filters_of("min=1=2"), "incorrect SPE filter value: min='1=2'.");
}

TEST(SpeList, TheKindOfMistakeDecidesNotItsPlace) {
  EXPECT_EQ(filters_of("ld=x,=1,st"), "incorrect SPE filter: 'st' in ld=x,=1,st");
  EXPECT_EQ(filters_of("ld=x,=1"), "incorrect SPE filter name: '=1'");
  EXPECT_EQ(filters_of("nonsense=-1"), "incorrect SPE filter value: nonsense='-1'.");
}

using List = std::vector<Breakdown>;

TEST(BreakdownList, EveryNameOnceInTheOrderOfTheText) {
  EXPECT_EQ(parse_breakdown_list("caller").value(), List{Breakdown::caller});
  EXPECT_EQ(parse_breakdown_list("core,process,thread,module,caller").value(),
            (List{Breakdown::core, Breakdown::process, Breakdown::thread, Breakdown::module, Breakdown::caller}));
  EXPECT_EQ(parse_breakdown_list("module,core,module").value(), (List{Breakdown::module, Breakdown::core}));
}

TEST(BreakdownList, OtherWords) {
  for (const char* bad : {"", ",", "line", "Core", "core,", " core", "core;module"}) {
    const auto result = parse_breakdown_list(bad);
    ASSERT_FALSE(result.has_value()) << bad;
    EXPECT_EQ(result.error().code, diag::ExitCode::usage);
  }
  EXPECT_TRUE(diag::names_all(parse_breakdown_list("core,line").error().text, {"'line'", "--by"}));
}

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
