// SPDX-License-Identifier: BSD-3-Clause
#include "app/capi/configurations.h"

#include <gtest/gtest.h>

namespace wperf::capi {
namespace {

const u32 kCores[] = {3, 1};

TEST(StatRequest, ZerosAreTheDefaults) {
  const auto request = stat_request({});
  ASSERT_TRUE(request.has_value());
  EXPECT_EQ(request.value().command, request::Command::stat);
  EXPECT_TRUE(request.value().items.empty());
  EXPECT_TRUE(request.value().cores.empty());
  EXPECT_FALSE(request.value().program.has_value());
  EXPECT_FALSE(request.value().timeline.enabled);
  EXPECT_FALSE(request.value().outputs.csv_file.has_value());
  EXPECT_TRUE(request.value().config.empty());
  EXPECT_EQ(request.value().timeout->milliseconds, 0u);
}

TEST(SectionRequest, IsOfAProcessOrOfCores) {
  STAT_CONF conf{};
  conf.events = L"inst_spec";
  EXPECT_EQ(section_request(conf, 42).value().process, 42u);
  EXPECT_FALSE(section_request(conf, 0).value().process.has_value());
  EXPECT_FALSE(section_request(conf, 0x8000'0000).has_value());
  conf.cores = kCores;
  conf.num_cores = 2;
  EXPECT_EQ(section_request(conf, 0).value().cores.size(), 2u);
  EXPECT_FALSE(section_request(conf, 42).has_value());
  conf.timeline = true;
  EXPECT_FALSE(section_request(conf, 0).has_value());
}

TEST(StatRequest, EverythingArrives) {
  STAT_CONF conf{};
  conf.cores = kCores;
  conf.num_cores = 2;
  conf.events = L"inst_spec,{ld_spec,r1b}";
  conf.metrics = L"imix,dcache";
  conf.duration_ms = 1500;
  conf.period_ms = 13;
  conf.kernel = true;
  conf.program = L"C:\\\u00fc.exe";
  conf.arguments = L"a b";
  conf.spawn_delay_ms = 7;
  conf.timeline = true;
  conf.interval_ms = 20;
  conf.num_counts = 4;
  conf.csv_file = L"x.csv";
  const auto made = stat_request(conf);
  ASSERT_TRUE(made.has_value());
  const request::Request& request = made.value();
  ASSERT_EQ(request.cores.size(), 2u);
  EXPECT_EQ(request.cores[0].first, 3u);
  ASSERT_EQ(request.items.size(), 3u);
  EXPECT_EQ(std::get<request::EventList>(request.items[0]).tokens.size(), 3u);
  EXPECT_EQ(std::get<request::MetricName>(request.items[2]).name, "dcache");
  EXPECT_EQ(request.timeout->milliseconds, 1500u);
  ASSERT_EQ(request.config.size(), 1u);
  EXPECT_EQ(request.config[0].value, "13");
  EXPECT_TRUE(request.kernel);
  EXPECT_EQ(request.program->path, "C:\\\xc3\xbc.exe");
  EXPECT_EQ(request.program->command_line, "C:\\\xc3\xbc.exe a b");
  EXPECT_EQ(request.spawn_delay_ms, 7u);
  EXPECT_TRUE(request.timeline.enabled);
  EXPECT_EQ(request.timeline.interval.milliseconds, 20u);
  EXPECT_EQ(request.timeline.count, 4u);
  EXPECT_EQ(request.outputs.csv_file, "x.csv");
}

TEST(StatRequest, TheProgramIsOneWordOfItsLineAndTheArgumentsAreAsTheyAre) {
  STAT_CONF conf{};
  conf.program = L"C:\\Program Files\\a.exe";
  conf.arguments = L"\"one word\" two";
  EXPECT_EQ(stat_request(conf).value().program->command_line, "\"C:\\Program Files\\a.exe\" \"one word\" two");
}

TEST(StatRequest, ACountOfATimelineTakesASecondUnlessSaid) {
  STAT_CONF conf{};
  conf.timeline = true;
  EXPECT_EQ(stat_request(conf).value().timeout->milliseconds, 1000u);
}

TEST(StatRequest, WhatCannotBeIsRefused) {
  STAT_CONF conf{};
  conf.num_cores = 1;
  EXPECT_FALSE(stat_request(conf).has_value());
  for (const u32 period : {1u, 9u, 101u}) {
    conf = {};
    conf.period_ms = period;
    EXPECT_FALSE(stat_request(conf).has_value()) << period;
  }
  for (const u32 period : {10u, 100u}) {
    conf = {};
    conf.period_ms = period;
    EXPECT_TRUE(stat_request(conf).has_value()) << period;
  }
  for (const wchar_t* events : {L"/dsu/l3d_cache", L"{inst_spec", L"inst_spec,/dmc_clkdiv2/rdwr"}) {
    conf = {};
    conf.events = events;
    EXPECT_FALSE(stat_request(conf).has_value());
  }
  conf = {};
  conf.arguments = L"of nobody";
  EXPECT_FALSE(stat_request(conf).has_value());
  conf = {};
  conf.program = L"";
  EXPECT_EQ(stat_request(conf).error().text, "program is empty: it is a path, or NULL to start no program");
}

TEST(StatRequest, TooManyCoresAreNotRead) {
  STAT_CONF conf{};
  conf.cores = kCores;
  conf.num_cores = ~size_t{0};
  EXPECT_EQ(stat_request(conf).error().text,
            "num_cores is " + std::to_string(~size_t{0}) + ", but must be at most 65536");
}

TEST(SampleRequest, ARateWithoutEffectIsNamedByTheField) {
  SAMPLE_CONF conf{};
  conf.program = L"a.exe";
  conf.events = L"ld_spec:1000,r1b:5000";
  conf.rate_hz = 1000;
  const diag::Error error = sample_request(conf).error();
  EXPECT_EQ(error.text, "rate_hz has no effect: each event has its own interval");
  EXPECT_EQ(error.hint, "set rate_hz to 0, or leave out an interval");
  conf.events = nullptr;
  EXPECT_TRUE(sample_request(conf).has_value());
}

TEST(SampleRequest, StartsAProgramOrFindsOne) {
  SAMPLE_CONF conf{};
  EXPECT_FALSE(sample_request(conf).has_value());
  conf.program = L"a.exe";
  const auto record = sample_request(conf);
  ASSERT_TRUE(record.has_value());
  EXPECT_EQ(record.value().command, request::Command::record);
  EXPECT_EQ(record.value().pe_file, "a.exe");
  EXPECT_EQ(record.value().sampling.display_rows, ~u32{0});
  conf.image_name = L"b.exe";
  EXPECT_FALSE(sample_request(conf).has_value());
  conf.program = nullptr;
  EXPECT_FALSE(sample_request(conf).has_value());  // the core is missing
  conf.cores = kCores;
  conf.num_cores = 1;
  const auto sample = sample_request(conf);
  ASSERT_TRUE(sample.has_value());
  EXPECT_EQ(sample.value().command, request::Command::sample);
  EXPECT_EQ(sample.value().image_name, "b.exe");
  EXPECT_EQ(sample.value().pe_file, "b.exe");
}

// Callers of the API know fields, not options of the command line.
TEST(StatRequest, CoresThatTheMachineLacksAreNamedByTheField) {
  EXPECT_TRUE(check_cores({{0, 0}, {7, 7}}, 8).has_value());
  const auto refused = check_cores({{0, 0}, {200, 200}}, 8);
  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(refused.error().text, "cores names core 200; this machine has 0 to 7");
  EXPECT_EQ(refused.error().hint, "");
}

TEST(SampleRequest, OfSeveralCoresTheFirstIsTheProgramsOwn) {
  SAMPLE_CONF conf{};
  conf.program = L"a.exe";
  conf.cores = kCores;
  conf.num_cores = 2;
  const auto request = sample_request(conf);
  ASSERT_TRUE(request.has_value());
  ASSERT_EQ(request.value().cores.size(), 1u);
  EXPECT_EQ(request.value().cores[0].first, 3u);
  EXPECT_EQ(request.value().sampling.cores.size(), 2u);
}

TEST(SampleRequest, EverythingArrives) {
  SAMPLE_CONF conf{};
  conf.program = L"a.exe";
  conf.events = L"ld_spec:1000,r1b";
  conf.rate_hz = 50'000;
  conf.duration_ms = 9;
  conf.kernel = true;
  conf.pdb_file = L"a.pdb";
  conf.symbol_path = L"there";
  conf.symbol = L"^main";
  conf.display_row = 5;
  conf.decorated_names = true;
  conf.annotate = true;
  const auto made = sample_request(conf);
  ASSERT_TRUE(made.has_value());
  const request::Request& request = made.value();
  ASSERT_EQ(request.sampling.events.size(), 2u);
  EXPECT_EQ(request.sampling.events[0].interval, 1000u);
  EXPECT_EQ(request.sampling.rate_hz, 50'000u);
  EXPECT_EQ(request.timeout->milliseconds, 9u);
  EXPECT_TRUE(request.kernel);
  EXPECT_EQ(request.pdb_file, "a.pdb");
  EXPECT_EQ(request.sampling.symbol_path, "there");
  EXPECT_EQ(request.sampling.display.symbol->text, "main");
  EXPECT_EQ(request.sampling.display_rows, 5u);
  EXPECT_TRUE(request.sampling.display.decorated_names);
  EXPECT_TRUE(request.sampling.display.annotate);
  conf.rate_hz = 50'001;
  EXPECT_FALSE(sample_request(conf).has_value());
}

TEST(TestRequest, TakesEventsMetricsAndThePeriod) {
  TEST_CONF conf{};
  conf.events = L"inst_spec";
  conf.metrics = L"imix";
  conf.period_ms = 20;
  const auto request = test_request(conf);
  ASSERT_TRUE(request.has_value());
  EXPECT_EQ(request.value().items.size(), 2u);
  EXPECT_EQ(request.value().config.size(), 1u);
}

}  // namespace
}  // namespace wperf::capi
