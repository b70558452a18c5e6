// SPDX-License-Identifier: BSD-3-Clause
// Programs on the simulated machine, recorded as Windows would record them. The traces must agree with the machine's
// own sums for each thread.
#include <gtest/gtest.h>

#include <cstdio>
#include <filesystem>

#include "analysis/recording/trace_recording.h"
#include "analysis/waits/thread_times.h"
#include "formats/etl/switch_counts.h"
#include "formats/etl/trace.h"
#include "ground/os/mapped_file.h"
#include "machine/etw/etw_device.h"
#include "machine/etw/trace_session.h"
#include "machine/wperf_driver/driver_device.h"
#include "machine/wperf_driver/sim_machine.h"
#include "sim/tracing/fake_trace_api.h"

namespace wperf {
namespace {

constexpr u64 kMhz = 25, kTickNs = 200;  // clock of the simulated machine; rounded down at both ends

class SimulatedTruth : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    if (!std::filesystem::exists(std::string(WPERF_WORKLOADS) + "/threads.exe"))
      GTEST_SKIP() << "the workloads were not built";
    auto opened = etw::fake::open_fake_tracing(std::string("pace=free,instance=truth,") + GetParam(), &below);
    ASSERT_TRUE(opened.has_value()) << opened.error().text;
    machine = std::move(opened).value();
  }
  ~SimulatedTruth() override { std::remove(file.c_str()); }

  u32 spawn(const std::string& command_line) {
    const std::string path = std::string(WPERF_WORKLOADS) + "/" + command_line;
    const auto started = machine->programs().spawn(path.substr(0, path.find(' ')), path, 0);
    EXPECT_TRUE(started.has_value());
    return started.has_value() ? started.value() : 0;
  }
  // Records until the program ends, or for 50 ms.
  void record(etw::SessionPlan plan, u32 program) {
    plan.file = file;
    plan.cores = 4;
    auto session = etw::Session::start(machine->tracing(), plan);
    ASSERT_TRUE(session.has_value()) << session.error().text;
    constexpr u64 kNs = 50'000'000, kMost = 5'000'000'000;
    ASSERT_TRUE(machine->programs().wait(program != 0 ? kMost : kNs, program).has_value());
    ASSERT_TRUE(session.value()->stop().has_value());
  }

  wperf_driver::SimulatedMachine* below = nullptr;
  std::unique_ptr<etw::TracingMachine> machine;
  std::string file = testing::TempDir() + "wperf-simulated-truth.etl";
};

TEST_P(SimulatedTruth, ThreadsRanAsLongAsTheTraceSays) {
  const u32 program = spawn("threads.exe 5 300");
  ASSERT_NE(spawn("googolplex.exe"), 0u);
  record({.sources = {}, .switches = true}, program);
  const auto mapped = os::MappedFile::open(file);
  ASSERT_TRUE(mapped.has_value());
  const auto trace = etl::Trace::open(mapped.value().bytes());
  ASSERT_TRUE(trace.has_value());
  const auto recorded = recording::recording_of_trace(trace.value(), "test", {.switches = true});
  ASSERT_TRUE(recorded.has_value());
  const recording::RecordedSwitches& switches = recorded.value().switches;
  const waits::Accounting accounting =
      waits::account(switches.switches, switches.unrecorded, switches.begin, switches.end);
  EXPECT_EQ(accounting.contradictions, 0u);
  u32 compared = 0;
  for (const WperfSimThreadTruth& truth : below->schedule_truth()) {
    if (truth.thread == 0) continue;
    const auto found = std::find_if(accounting.threads.begin(), accounting.threads.end(),
                                    [&](const waits::ThreadTimes& one) { return one.thread == truth.thread; });
    ASSERT_NE(found, accounting.threads.end()) << truth.thread;
    EXPECT_EQ(switches.threads.at(truth.thread).process, truth.process);
    const u64 running_ns = truth.cycles * 1000 / kMhz;
    EXPECT_NEAR(static_cast<double>(found->running), static_cast<double>(running_ns),
                static_cast<double>(found->switches * kTickNs))
        << truth.thread;
    EXPECT_EQ(found->running + found->ready + found->waiting, found->wall());
    compared += truth.process == program;
  }
  EXPECT_EQ(compared, 6u);
  EXPECT_TRUE(switches.has_stacks);
  EXPECT_TRUE(switches.has_wakeups);
}

TEST_P(SimulatedTruth, CountsOfThreadsAreWhatTheMachineCounted) {
  const u32 program = spawn("threads.exe 5 300");
  ASSERT_NE(spawn("googolplex.exe"), 0u);  // never waits
  std::vector<etw::WantedSource> counted;
  for (const u32 source : {2u, 6u, 19u}) {  // instructions, branches, cycles
    counted.push_back({.name = {}, .number = source, .event = 0, .interval = etw::kUsualInterval});
  }
  counted.push_back({.name = "st_spec", .number = {}, .event = 0x71, .interval = etw::kUsualInterval});
  record({.sources = {}, .counted = counted, .stacks = false}, program);
  const auto mapped = os::MappedFile::open(file);
  ASSERT_TRUE(mapped.has_value());
  const auto trace = etl::Trace::open(mapped.value().bytes());
  ASSERT_TRUE(trace.has_value());
  etl::SwitchCounts counts(counted.size(), {}, trace.value().header().first_ticks, {});
  etl::TraceLosses losses;
  trace.value().for_each_event([&](const etl::Event& event) { counts.take(event); }, losses);
  EXPECT_EQ(counts.switches_without_counters(), 0u);
  std::map<u32, std::vector<u64>> of_thread;
  for (const etl::SwitchCounts::Thread& one : counts.threads()) {
    EXPECT_EQ(one.spent.lost, 0u);
    of_thread[one.thread] = one.spent.values;
  }
  u32 compared = 0;
  for (const WperfSimThreadTruth& truth : below->schedule_truth()) {
    if (truth.thread == 0) continue;
    EXPECT_EQ(of_thread[truth.thread], std::vector<u64>(truth.counts, truth.counts + counted.size())) << truth.thread;
    ++compared;
  }
  EXPECT_EQ(compared, 7u);
}

INSTANTIATE_TEST_SUITE_P(All, SimulatedTruth, testing::Values("cores=1", "cores=2", "cores=4"));

}  // namespace
}  // namespace wperf
