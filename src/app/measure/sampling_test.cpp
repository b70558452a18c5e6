// SPDX-License-Identifier: BSD-3-Clause
#include "app/measure/sampling.h"

#include <gtest/gtest.h>

#include <memory>

#include "formats/perf_data/perf_file.h"
#include "formats/perf_data/process_history.h"

namespace wperf::measure {
namespace {

plan::SamplePlan plan_of_two_events() {
  plan::SamplePlan plan;
  plan.events.resize(2);
  plan.events[0].name = "cycle";
  plan.events[0].code = 0x11;
  plan.events[0].interval = 100'000;
  plan.events[1].name = "ld_spec";
  plan.events[1].code = 0x70;
  plan.events[1].interval = 5000;
  plan.cores = {0, 1};
  return plan;
}

// Two cores, drained one after the other. The third sample belongs to both events.
readings::SampleCapture three_samples() {
  readings::SampleCapture capture;
  capture.samples = {
      {.time_ns = 300, .pc = 0x7ff6'0000'1004, .process = 8, .thread = 12, .overflowed = 1, .core = 0},
      {.time_ns = 100, .pc = 0x7ff6'0000'1008, .process = 8, .thread = 16, .overflowed = 2, .core = 1},
      {.time_ns = 200, .pc = 0xffff'8000'0000'1000, .process = 8, .overflowed = 3, .core = 1, .exception_level = 1}};
  readings::Process process;
  process.pid = 8;
  process.image = "C:\\programs\\work.exe";
  process.modules = {{.name = "work.exe", .path = "C:\\programs\\work.exe", .base = 0x7ff6'0000'0000, .size = 0x4000},
                     {.name = "vdso", .path = "", .base = 0x7ff7'0000'0000, .size = 0x1000}};
  capture.processes = {process};
  return capture;
}

struct Written {
  std::unique_ptr<os::MappedFile> bytes;  // the file has views into these bytes
  perf_data::PerfFile file;
};

Written written(const readings::SampleCapture& capture, const plan::Capabilities& machine) {
  const std::vector<std::string> words = {"record", "-e", "cycle,ld_spec"};
  Written made;
  const plan::SamplePlan plan = plan_of_two_events();
  os::RecordingFile file = std::move(os::RecordingFile::create({})).value();
  SampleRecorder recorder(plan, file);
  readings::SampleCapture samples = capture;
  SampleRecords records;
  records.take(plan, samples, nullptr);
  EXPECT_TRUE(samples.samples.empty());
  recorder.append(records);
  recorder.finish(samples, machine, words, {});
  file.close();
  made.bytes = std::make_unique<os::MappedFile>(std::move(os::MappedFile::open(file.openable_path())).value());
  made.file = perf_data::PerfFile::open(made.bytes->bytes()).value();
  return made;
}

TEST(PerfDataExport, OneEventForEachOfThePlan) {
  const Written made = written(three_samples(), {});
  const auto& events = made.file.attrs();
  ASSERT_EQ(events.size(), 2u);
  EXPECT_EQ(events[0].name, "cycle");
  EXPECT_EQ(events[1].name, "ld_spec");
  EXPECT_EQ(events[1].attributes.type, 4u);
  EXPECT_EQ(events[1].attributes.config, 0x70u);
  EXPECT_EQ(events[1].attributes.period_or_frequency, 5000u);
  EXPECT_TRUE(events[1].attributes.exclude_kernel());
  EXPECT_TRUE(events[1].attributes.sample_id_all());
}

TEST(PerfDataExport, OneRecordForEachEventOfASample) {
  const Written made = written(three_samples(), {});
  std::vector<std::vector<u64>> samples;
  const perf_data::ReadStatistics statistics =
      made.file.for_each_record(perf_data::Visitors{[&](const perf_data::Sample& one, const perf_data::Record&) {
        samples.push_back({one.event, one.time, one.ip, one.pid, one.tid, one.cpu, one.period, one.cpu_mode()});
      }});
  EXPECT_EQ(samples, (std::vector<std::vector<u64>>{{1, 100, 0x7ff6'0000'1008, 8, 16, 1, 5000, 2},
                                                    {0, 200, 0xffff'8000'0000'1000, 8, 0, 1, 100'000, 1},
                                                    {1, 200, 0xffff'8000'0000'1000, 8, 0, 1, 5000, 1},
                                                    {0, 300, 0x7ff6'0000'1004, 8, 12, 0, 100'000, 2}}));
  EXPECT_EQ(statistics.all_damaged() + statistics.of_unknown_event, 0u);
}

TEST(PerfDataExport, RecordsOfSeveralDrains) {
  const plan::SamplePlan plan = plan_of_two_events();
  readings::SampleCapture first = three_samples(), second = three_samples();
  second.samples.resize(1);
  SampleRecords records;
  EXPECT_GT(records.first_ns(), records.last_ns());
  records.take(plan, first, nullptr);
  const usize size = records.bytes().size();
  records.take(plan, second, nullptr);
  EXPECT_EQ(records.samples(), 4u);
  EXPECT_GT(records.bytes().size(), size);
  EXPECT_EQ(records.first_ns(), 100u);
  EXPECT_EQ(records.last_ns(), 300u);
  EXPECT_EQ(records.threads(), (std::set<ProcessAndThread>{{8, 0}, {8, 12}, {8, 16}}));
}

TEST(PerfDataExport, ProgramsAndModules) {
  const Written made = written(three_samples(), {});
  const auto history = perf_data::ProcessHistory::collect(made.file);
  EXPECT_EQ(history.process_of_thread(16), 8u);
  EXPECT_EQ(history.only_process(), 8u);
  EXPECT_EQ(history.names()[history.task_at(8, 16, 100).name], "work.exe");
  ASSERT_EQ(history.codes().size(), 2u);
  EXPECT_EQ(history.codes()[0].path, "C:\\programs\\work.exe");
  EXPECT_EQ(history.codes()[1].path, "[vdso]");
}

TEST(PerfDataExport, WhatIsKnownOfTheMachine) {
  plan::Capabilities machine;
  machine.midr = 0x413fd0c1;
  machine.core_count = 8;
  const Written made = written(three_samples(), machine);
  const perf_data::Features& features = made.file.features();
  EXPECT_EQ(features.text(perf_data::Feature::architecture), "aarch64");
  EXPECT_EQ(features.text(perf_data::Feature::cpu_id), "0x00000000413fd0c1");
  EXPECT_EQ(features.cpu_count()->available, 8u);
  EXPECT_EQ(features.sample_time()->first, 100u);
  EXPECT_EQ(features.sample_time()->last, 300u);
  EXPECT_EQ(features.command_line(), (std::vector<std::string_view>{"wperf", "record", "-e", "cycle,ld_spec"}));
}

TEST(PerfDataExport, WithoutSamplesTheFileIsWhole) {
  const Written made = written({}, {});
  EXPECT_FALSE(made.file.is_unfinished());
  EXPECT_FALSE(made.file.is_cut());
  EXPECT_EQ(made.file.attrs().size(), 2u);
}

}  // namespace
}  // namespace wperf::measure
