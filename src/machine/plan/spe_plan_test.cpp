// SPDX-License-Identifier: BSD-3-Clause
#include "machine/plan/spe_plan.h"

#include <gtest/gtest.h>

#include "ground/diag/names_all_test.h"
#include "machine/plan/test_machine.h"
#include "model/request/request.h"
#include "model/request/sampling_options.h"

namespace wperf::plan {
namespace {

// All filters, intervals from 1024 on, 12-bit latencies.
constexpr u64 kEverything = 0x47 | 4 << 8 | 2 << 16;

Capabilities spe_machine(u64 pmsidr = kEverything) {
  Capabilities machine = test_machine();
  machine.id_aa64dfr0 = u64{1} << 32;
  machine.pmsidr = pmsidr;
  return machine;
}

request::Request spe_recording(std::string_view list) {
  request::Request request;
  request.command = request::Command::record;
  request.pe_file = "chase.exe";
  request.sampling.spe = request::parse_spe_list(list).value();
  return request;
}

std::string refusal(std::string_view list, u64 pmsidr = kEverything) {
  const auto plan = make_spe_plan(spe_recording(list), {}, spe_machine(pmsidr));
  return plan.has_value() ? "none" : plan.error().text;
}

TEST(SpePlan, SaysNothingAndGetsEverything) {
  const SpePlan plan = make_spe_plan(spe_recording("arm_spe_0//"), {}, spe_machine()).value();
  EXPECT_EQ(plan.cores, std::vector<u32>{0});
  EXPECT_EQ(plan.interval, 1024u);
  EXPECT_TRUE(plan.jitter && plan.context);
  EXPECT_FALSE(plan.loads || plan.stores || plan.branches || plan.timestamps || plan.physical || plan.kernel);
  EXPECT_EQ(plan.min_latency, 0u);
}

TEST(SpePlan, TakesEverySettingByNameAndAlias) {
  const SpePlan plan =
      make_spe_plan(spe_recording("arm_spe_0/ld=1,st=1,b=1,ts=1,min=100,period=4096,jitter=0,event_filter=0x8,"
                                  "inv_event_filter=0x20,pa=1/"),
                    {}, spe_machine())
          .value();
  EXPECT_TRUE(plan.loads && plan.stores && plan.branches && plan.timestamps && plan.physical);
  EXPECT_FALSE(plan.jitter);
  EXPECT_EQ(plan.min_latency, 100u);
  EXPECT_EQ(plan.interval, 4096u);
  EXPECT_EQ(plan.events, 8u);
  EXPECT_EQ(plan.not_events, 0x20u);
}

TEST(SpePlan, RefusesWhatTheHardwareLacks) {
  EXPECT_EQ(refusal("arm_spe_0/min=4096/"), "SPE filter 'min_latency' value out of range, use: 0-4095");
  EXPECT_EQ(refusal("arm_spe_0/min=4096/", kEverything | 1 << 16), "none");  // 16 bits
  EXPECT_EQ(refusal("arm_spe_0/interval=512/"), "SPE filter 'interval' value out of range, use: 1024-4294967040");
  EXPECT_EQ(refusal("arm_spe_0/ld=1/", kEverything & ~2u),
            "the SPE of this machine cannot filter by type of operation");
  EXPECT_EQ(refusal("arm_spe_0/event_filter=2/", kEverything & ~1u), "the SPE of this machine cannot filter by event");
  EXPECT_EQ(refusal("arm_spe_0/min=1/", kEverything & ~4u), "the SPE of this machine cannot filter by latency");
  EXPECT_EQ(refusal("arm_spe_0/inv_event_filter=2/", kEverything & ~0x40u),
            "the SPE of this machine cannot filter by absent event");
  EXPECT_TRUE(diag::names_all(refusal("arm_spe_0/ld=1/", 0), {"has SPE, but"}));
}

TEST(SpePlan, DropsNothingSilently) {
  const auto refused = [](auto change) {
    request::Request request = spe_recording("arm_spe_0//");
    change(request.sampling);
    const auto plan = make_spe_plan(request, request.recording, spe_machine());
    return plan.has_value() ? "none" : plan.error().text;
  };
  EXPECT_TRUE(diag::names_all(refused([](request::Sampling& s) { s.events.emplace_back(); }),
                              {"SPE", "events", "at the same time"}));
  EXPECT_TRUE(diag::names_all(refused([](request::Sampling& s) { s.rate_hz = 100; }), {"--freq", "SPE"}));
  EXPECT_TRUE(diag::names_all(refused([](request::Sampling& s) { s.display.by = {request::Breakdown::caller}; }),
                              {"SPE records", "callers"}));
  EXPECT_EQ(refused([](request::Sampling& s) { s.display.by = {request::Breakdown::thread}; }), "none");
}

TEST(SpePlan, WhatAsksForTimesHasThemRecorded) {
  const auto planned = [](auto change, u32 timer_hz) {
    request::Request request = spe_recording("arm_spe_0/ts_enable=0/");
    change(request);
    Capabilities machine = spe_machine();
    machine.timer.hz = timer_hz;
    return make_spe_plan(request, request.recording, machine);
  };
  const auto timeline = [](request::Request& r) { r.sampling.display.timeline_ms = 10; };
  const auto time = [](request::Request& r) { r.recording.time.emplace(); };
  EXPECT_FALSE(planned([](request::Request&) {}, 1000).value().timestamps);
  EXPECT_TRUE(planned(timeline, 1000).value().timestamps);
  EXPECT_TRUE(planned(time, 1000).value().timestamps);
  EXPECT_TRUE(diag::names_all(planned(timeline, 0).error().text, {"--timeline", "time of SPE records", "driver"}));
  EXPECT_TRUE(diag::names_all(planned(time, 0).error().text, {"--time ", "time of SPE records", "driver"}));
  EXPECT_TRUE(planned([](request::Request&) {}, 0).has_value());
}

TEST(SpePlan, FindsFunctionsOfPythonByTheTimeOfRecords) {
  Capabilities machine = spe_machine();
  request::Request request = spe_recording("arm_spe_0//");
  request.sampling.call_stacks.python = request::PythonFrames::folded;
  EXPECT_TRUE(diag::names_all(make_spe_plan(request, {}, machine).error().text, {"Python", "SPE"}));
  machine.shows_python = true;
  machine.timer.hz = 0;
  EXPECT_FALSE(make_spe_plan(request, {}, machine).has_value());
  machine.timer.hz = 25'000'000;
  const SpePlan plan = make_spe_plan(request, {}, machine).value();
  EXPECT_TRUE(plan.timestamps);
  EXPECT_EQ(plan.python, request::PythonFrames::folded);
}

TEST(SpePlan, HasTheCoresOfSampling) {
  request::Request request = spe_recording("arm_spe_0//");
  request.sampling.all_cores = true;
  request.cores = {{3, 3}};
  const SpePlan plan = make_spe_plan(request, request.recording, spe_machine()).value();
  EXPECT_EQ(plan.cores.size(), 8u);
  EXPECT_EQ(plan.program_core, 3u);
  request.pe_file.reset();
  EXPECT_EQ(make_spe_plan(request, request.recording, spe_machine()).error().text,
            "no pid or process name specified, sample address are not de-ASLRed");
}

std::string filter_error(const request::SpeList& list, u64 id_aa64dfr0 = u64{1} << 32) {
  Capabilities machine = test_machine();
  machine.id_aa64dfr0 = id_aa64dfr0;
  const auto result = check_spe(list, machine);
  if (result.has_value()) return "no error";
  EXPECT_TRUE(result.error().verbatim);
  return result.error().text;
}

TEST(SpeFilters, NamesAliasesAndRanges) {
  EXPECT_EQ(filter_error({}), "no error");
  EXPECT_EQ(filter_error({{{"load_filter", 1}, {"st", 1}, {"b", 0}, {"ts_enable", 1}, {"min", 65535}}}), "no error");
  for (const char* name : {"load_filter", "ld", "store_filter", "st", "branch_filter", "b", "ts_enable", "ts"}) {
    EXPECT_EQ(filter_error({{{name, 2}}}), "SPE filter '" + std::string(name) + "' value out of range, use: 0-1");
  }
  EXPECT_EQ(filter_error({{{"min_latency", 65536}}}), "SPE filter 'min_latency' value out of range, use: 0-65535");
  for (const char* name : {"Jitter", "LD", "load", "l", ""}) {
    EXPECT_EQ(filter_error({{{name, 1}}}),
              "SPE filter '" + std::string(name) +
                  "' unknown, use: load_filter, store_filter, branch_filter, ts_enable, min_latency, interval, jitter, "
                  "event_filter, inv_event_filter, pa_enable");
  }
}

TEST(SpeFilters, TheHardwareThenTheNamesThenTheValues) {
  EXPECT_EQ(filter_error({{{"ld", 7}, {"x", 1}}}),
            "SPE filter 'x' unknown, use: load_filter, store_filter, branch_filter, ts_enable, min_latency, interval, "
            "jitter, "
            "event_filter, inv_event_filter, pa_enable");
  EXPECT_EQ(filter_error({{{"ld", 7}, {"x", 1}}}, 0), "SPE is not supported by your hardware: not implemented");
  EXPECT_EQ(filter_error({}, ~(u64{0xf} << 32)), "SPE is not supported by your hardware: not implemented");
}

}  // namespace
}  // namespace wperf::plan
