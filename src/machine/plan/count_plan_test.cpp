// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include "ground/diag/names_all_test.h"
#include "machine/plan/plan.h"
#include "machine/plan/test_machine.h"

namespace wperf::plan {
namespace {

request::Measurement counting(std::string_view events) {
  request::Measurement request;
  request.command = request::Command::stat;
  request.items.emplace_back(event_list(events));
  return request;
}

request::Measurement counting_metrics(const std::vector<std::string>& names) {
  request::Measurement request;
  request.command = request::Command::stat;
  for (const std::string& name : names) request.items.emplace_back(request::MetricName{name});
  return request;
}

diag::Result<CountPlan> planned(const request::Measurement& request, const Capabilities& machine = test_machine()) {
  EventCatalog words = catalog_of(machine);
  return make_count_plan(request, machine, words);
}

std::string error_of(const request::Measurement& request, const Capabilities& machine = test_machine()) {
  const auto plan = planned(request, machine);
  return plan.has_value() ? "no error" : plan.error().text;
}

// "117,116 (g0),(g0)": a schedule in the form of `wperf test`.
std::string schedule_of(const CountPlan& plan, EventClass event_class = EventClass::core) {
  std::string codes, notes;
  for (const Entry& entry : plan.schedules[index_of(event_class)].entries) {
    if (!codes.empty()) {
      codes += ',';
      notes += ',';
    }
    codes += std::to_string(entry.code);
    notes += "(" + note_of(entry) + ")";
  }
  return codes + " " + notes;
}

TEST(CountPlan, ScheduleExamplesOfTheContract) {
  EXPECT_EQ(schedule_of(planned(counting("{crypto_spec,vfp_spec}")).value()),
            "119,117,27,27,27,27 (g0),(g0),(p),(p),(p),(p)");
  EXPECT_EQ(schedule_of(planned(counting("crypto_spec,{vfp_spec,ase_spec},dp_spec")).value()),
            "117,116,119,115,27,27 (g0),(g0),(e),(e),(p),(p)");
  const CountPlan plan = planned(counting("{ld_spec,st_spec},{ld_spec,st_spec},dp_spec,{ld_spec,st_spec}")).value();
  EXPECT_EQ(schedule_of(plan),
            "112,113,115,112,113,27,112,113,27,27,27,27 "
            "(g0),(g0),(e),(g1),(g1),(p),(g2),(g2),(p),(p),(p),(p)");
  EXPECT_TRUE(plan.schedules[0].multiplexed());
}

TEST(CountPlan, PlainEventsAreNotPadded) {
  const CountPlan plan = planned(counting("inst_spec,vfp_spec,ase_spec,dp_spec,ld_spec,st_spec,br_immed_spec")).value();
  EXPECT_EQ(plan.schedules[0].entries.size(), 7u);
  EXPECT_EQ(plan.schedules[0].counters, 6u);
  EXPECT_TRUE(plan.schedules[0].multiplexed());
  EXPECT_FALSE(planned(counting("r82,r82")).value().schedules[0].multiplexed());
  EXPECT_EQ(schedule_of(planned(counting("r82,r82")).value()), "130,130 (e),(e)");
}

TEST(CountPlan, NamesInTheSchedule) {
  EventCatalog words = catalog_of(test_machine());
  const CountPlan plan = make_count_plan(counting("INST_SPEC,r1b,rfff1,/dsu/L3D_CACHE"), test_machine(), words).value();
  EXPECT_EQ(plan.schedules[0].entries[0].name, "inst_spec");
  EXPECT_EQ(plan.schedules[0].entries[1].name, "inst_spec");
  EXPECT_EQ(plan.schedules[0].entries[2].name, "rfff1");
  EXPECT_EQ(plan.schedules[1].entries[0].name, "l3d_cache");
  EXPECT_EQ(words.extra.all().size(), 2u);  // the two events given as numbers
}

TEST(CountPlan, MetricsAndTheirNotes) {
  EXPECT_EQ(schedule_of(planned(counting_metrics({"imix"})).value()),
            "27,115,117,116,112,113 (g0,imix),(g0,imix),(g0,imix),(g0,imix),(g0,imix),(g0,imix)");
  const CountPlan plan = planned(counting_metrics({"l3_cache", "ddr_bw"})).value();
  EXPECT_EQ(schedule_of(plan, EventClass::dsu), "43,42 (e,l3_cache),(e,l3_cache)");
  EXPECT_EQ(schedule_of(plan, EventClass::dmc_clkdiv2), "18 (e,ddr_bw)");
  EXPECT_TRUE(plan.has_events());
}

TEST(CountPlan, GroupNumbersFollowTheCommandLineAcrossEventsAndMetrics) {
  request::Measurement request = counting("{ld_spec,st_spec},/dsu/{l3d_cache,l3d_cache_refill}");
  request.items.emplace_back(request::MetricName{"dcache"});
  request.items.emplace_back(event_list("{vfp_spec,ase_spec}"));
  const CountPlan plan = planned(request).value();
  const std::vector<Entry>& entries = plan.schedules[0].entries;
  ASSERT_EQ(entries.size(), 18u);
  EXPECT_EQ(note_of(entries[0]), "g0");
  EXPECT_EQ(note_of(entries[6]), "g1,dcache");
  EXPECT_EQ(note_of(entries[12]), "g2");
  EXPECT_EQ(schedule_of(plan, EventClass::dsu), "43,42,27,27,27,27 (g0),(g0),(p),(p),(p),(p)");
}

TEST(CountPlan, AGroupOfMetricsExpandsInOrder) {
  const EventCatalog words = catalog_of(test_machine());
  const pmu::MetricGroup group = words.product.group(0);
  const CountPlan plan = planned(counting_metrics({std::string(group.name)})).value();
  std::string seen;
  for (const Entry& entry : plan.schedules[0].entries) {
    if (entry.padding ||
        (seen.size() >= entry.metric.size() && seen.rfind(entry.metric) == seen.size() - entry.metric.size())) {
      continue;
    }
    seen += (seen.empty() ? "" : ",") + entry.metric;
  }
  EXPECT_EQ(seen, group.metrics);
}

// Contract 4.1: Neoverse N1's 31 metrics of two and three events.
TEST(CountPlan, AllMetricsOfNeoverseN1) {
  for (const u32 counters : {6u, 5u}) {
    const Capabilities machine = test_machine(kNeoverseN1, counters);
    const EventCatalog words = catalog_of(machine);
    std::vector<std::string> names;
    for (usize i = 0; i < words.product.metric_count(); ++i) names.emplace_back(words.product.metric(i).name);
    EXPECT_EQ(names.size(), 31u);
    EXPECT_EQ(planned(counting_metrics(names), machine).value().schedules[0].entries.size(), counters == 6 ? 66u : 80u);
  }
}

TEST(CountPlan, UnknownWords) {
  EXPECT_EQ(error_of(counting("inst_spec,nonsense")), "unknown event name: nonsense");
  const auto refused = planned(counting(":100"), test_machine());
  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(refused.error().hint, "`wperf list` shows the names");
  Capabilities bare = test_machine(kUnknownCpu);
  bare.counters_total = bare.counters_free = {6, 0, 0, 0};
  EXPECT_EQ(error_of(counting_metrics({"x"}), bare),
            "metric 'x' not supported\nsupported metrics:\nno metric registered");
  EXPECT_NE(planned(counting_metrics({"x"}), bare).error().hint.find("`wperf list`"), std::string::npos);
  bare.counters_total[3] = bare.counters_free[3] = 8;
  bare.counters_total[1] = bare.counters_free[1] = 6;
  EXPECT_EQ(error_of(counting_metrics({"x"}), bare),
            "metric 'x' not supported\nsupported metrics:\n  ddr_bw\n  l3_cache");
}

TEST(CountPlan, GroupSizes) {
  EXPECT_EQ(error_of(counting("{ld_spec,st_spec,dp_spec,vfp_spec,ase_spec,inst_spec,crypto_spec}")),
            "event group size(7) exceeds number of hardware PMU counters(6)");
  EXPECT_EQ(error_of(counting("{ld_spec,st_spec,dp_spec,vfp_spec}"), test_machine(kNeoverseN1, 3)),
            "event group size(4) exceeds number of free hardware PMU counters(3) out of a total of (6)");
  EXPECT_EQ(error_of(counting("/dmc_clk/{1,2,3,4,5}")),
            "event group size(5) exceeds number of hardware PMU counters(4)");
}

std::string repeated(const std::string& text, usize count) {
  std::string out = text;
  for (usize i = 1; i < count; ++i) out += "," + text;
  return out;
}

TEST(CountPlan, ScheduleSizes) {
  EXPECT_EQ(error_of(counting(repeated("r1b", 127))), "no error");
  EXPECT_EQ(error_of(counting(repeated("r1b", 128))), "error: too many core (including padding) events: 128 > 127");
  EXPECT_EQ(error_of(counting(repeated("r1b", 129))), "error: too many core (including padding) events: 129 > 128");
  EXPECT_EQ(error_of(counting(repeated("{r1b,r1b,r1b,r1b}", 22))),
            "error: too many core (including padding) events: 132 > 128");
  EXPECT_EQ(error_of(counting(repeated("/dsu/1", 33))), "error: too many dsu (including padding) events: 33 > 32");
  EXPECT_EQ(error_of(counting(repeated("/dmc_clk/1", 5))), "error: too many dmc_clk (including padding) events: 5 > 4");
  EXPECT_EQ(error_of(counting(repeated("/dmc_clkdiv2/1", 9))),
            "error: too many dmc_clkdiv2 (including padding) events: 9 > 8");
}

TEST(CountPlan, ClassesTheMachineLacks) {
  Capabilities machine = test_machine(kNeoverseN1, 0);
  machine.counters_total[1] = machine.counters_free[1] = 0;
  EXPECT_EQ(error_of(counting("/dsu/l3d_cache"), machine), "this machine has no dsu counters");
  EXPECT_EQ(error_of(counting("inst_spec"), machine), "none of the 6 core counters is free");
  EXPECT_EQ(error_of(counting("{inst_spec,ld_spec}"), machine), "none of the 6 core counters is free");
}

TEST(CountPlan, Cores) {
  request::Measurement request = counting("inst_spec");
  EXPECT_EQ(planned(request).value().cores, (std::vector<u32>{0, 1, 2, 3, 4, 5, 6, 7}));
  request.cores = {{7, 7}, {1, 3}, {2, 2}};
  const CountPlan plan = planned(request).value();
  EXPECT_EQ(plan.cores, (std::vector<u32>{1, 2, 3, 7}));
  EXPECT_EQ(plan.clusters, (std::vector<u32>{0, 1, 3}));
  request.cores = {{8, 8}};
  EXPECT_EQ(error_of(request), "core index 8 not allowed. Use 0-7, see option -c <n>");
  request.cores = {{256, 256}};
  EXPECT_EQ(error_of(request), "core index 256 not allowed. Use 0-7, see option -c <n>");
  request.cores = {{6, 9}};
  EXPECT_EQ(error_of(request), "core index 8 not allowed. Use 0-7, see option -c <n>");
}

TEST(CountPlan, ASpawnedProgramGetsOneCore) {
  request::Measurement request = counting("inst_spec");
  request.program = request::Program{"p.exe", "p.exe", true};
  EXPECT_EQ(planned(request).value().cores, (std::vector<u32>{0}));
  request.cores = {{3, 3}, {3, 3}};
  EXPECT_EQ(planned(request).value().cores, (std::vector<u32>{3}));
  request.cores = {{3, 4}};
  EXPECT_EQ(error_of(request), "you can specify only one core for process spawn");
  request.cores = {{3, 9}};
  EXPECT_EQ(error_of(request), "core index 8 not allowed. Use 0-7, see option -c <n>");
}

TEST(CountPlan, DmcChannels) {
  request::Measurement request = counting("/dmc_clkdiv2/rdwr");
  EXPECT_EQ(planned(request).value().dmc_channels, (std::vector<u32>{0, 1}));
  request.dmc_channel = 1;
  EXPECT_EQ(planned(request).value().dmc_channels, (std::vector<u32>{1}));
  request.dmc_channel = 2;
  EXPECT_EQ(error_of(request), "dmc index 2 not allowed. Use 0-1, see option --dmc <n>");
  Capabilities machine = test_machine();
  machine.dmc_channels = 0;
  EXPECT_TRUE(diag::names_all(error_of(request, machine), {"no DDR controller (DMC)"}));
}

TEST(CountPlan, Period) {
  request::Measurement request = counting("inst_spec");
  EXPECT_EQ(planned(request).value().period_ms, 100u);
  const auto period = [&](const char* value) {
    request.config = {{"count.period", value}};
    return planned(request).value().period_ms;
  };
  EXPECT_EQ(period("13"), 13u);
  EXPECT_EQ(period("10"), 10u);
  EXPECT_EQ(period("9"), 100u);
  EXPECT_EQ(period("101"), 100u);
  EXPECT_EQ(configured_period_ms(request.config, test_machine()), 101u);
}

TEST(CountPlan, NothingAskedIsAnEmptyPlan) {
  request::Measurement request;
  EXPECT_FALSE(planned(request).value().has_events());
  EXPECT_FALSE(planned(request, test_machine(kNeoverseN1, 0)).value().has_events());
}

}  // namespace
}  // namespace wperf::plan
