// SPDX-License-Identifier: BSD-3-Clause
#include "machine/plan/sample_plan.h"

#include <gtest/gtest.h>

#include "ground/diag/names_all_test.h"
#include "machine/plan/test_machine.h"
#include "model/request/request.h"
#include "model/request/sampling_options.h"

namespace wperf::plan {
namespace {

using request::Command;

request::Request recording(std::string_view events) {
  request::Request request;
  request.command = Command::record;
  request.pe_file = "p.exe";
  request.program = request::Program{"p.exe", "p.exe", true};
  request.sampling.events = request::parse_sampling_list(events).value();
  return request;
}

request::Request sampling(std::string_view events) {
  request::Request request = recording(events);
  request.command = Command::sample;
  request.program.reset();
  request.cores = {{1, 1}};
  return request;
}

diag::Result<SamplePlan> sample_planned(const request::Request& request, const Capabilities& machine = test_machine()) {
  return make_sample_plan(request, request.recording, machine, catalog_of(machine));
}

std::string sample_error(const request::Request& request, const Capabilities& machine = test_machine()) {
  const auto plan = sample_planned(request, machine);
  return plan.has_value() ? "no error" : plan.error().text;
}

// name(code):interval for each event, with ~ if the interval adapts.
std::string events_of(const request::Request& request) {
  const auto plan = sample_planned(request);
  if (!plan.has_value()) return plan.error().text;
  std::string out;
  for (const SampleEvent& event : plan.value().events) {
    if (!out.empty()) out += ' ';
    out += event.name + "(" + std::to_string(event.code) + "):" + (event.adaptive ? "~" : "");
    out += std::to_string(event.interval);
  }
  return out;
}

constexpr char kNoProgram[] = "no pid or process name specified, sample address are not de-ASLRed";
constexpr char kOneCoreOfSample[] = "sampling: you can specify 1 core with -c option";
constexpr char kOneCoreOfRecord[] = "you can specify only one core for sampling";

TEST(SamplePlan, TheLastLimitCounts) {
  request::Request request = recording("ld_spec");
  EXPECT_EQ(sample_planned(request).value().most_per_second, 0u);
  request.config = {
      {request::kSampleLimitSetting, "100"}, {request::kPeriodSetting, "20"}, {request::kSampleLimitSetting, "90000"}};
  EXPECT_EQ(sample_planned(request).value().most_per_second, 90'000u);
  request.config = {{request::kSampleLimitSetting, "0"}};
  EXPECT_TRUE(diag::names_all(sample_error(request), {"sample.limit", "at least one"}));
}

TEST(SamplePlan, NamesAndIntervals) {
  EXPECT_EQ(events_of(recording("ld_spec:100000")), "ld_spec(112):100000");
  EXPECT_EQ(events_of(recording("LD_SPEC")), "ld_spec(112):67108864");
  EXPECT_EQ(events_of(recording("r70:5,0x71:6")), "ld_spec(112):5 st_spec(113):6");
  EXPECT_EQ(events_of(recording("rfff1:9")), "rfff1(65521):9");
  EXPECT_EQ(events_of(recording("ld_spec:2,ld_spec:1")), "ld_spec(112):1 ld_spec(112):2");
}

TEST(SamplePlan, WithoutEventsCycles) {
  EXPECT_EQ(events_of(recording("")), "cycle(17):134217728");
  Capabilities slow = test_machine();
  slow.usual_cycle_interval = 24'000;
  EXPECT_EQ(make_sample_plan(recording(""), {}, slow, catalog_of(slow)).value().events.at(0).interval, 24'000u);
}

// --pgo.
TEST(SamplePlan, CompilersGetInstructions) {
  request::Request request = recording("");
  request.sampling.for_compilers = true;
  EXPECT_EQ(events_of(request), "inst_retired(8):500000");
  EXPECT_EQ(sample_planned(request).value().jitter_shift, 1u);
  EXPECT_EQ(sample_planned(request).value().branch_stacks, BranchStacks::none);  // the driver has none
  Capabilities simulated = test_machine();
  simulated.usual_cycle_interval = 24'000;
  EXPECT_EQ(make_sample_plan(request, {}, simulated, catalog_of(simulated)).value().events.at(0).interval, 2'000u);
  request.sampling.rate_hz = 100;
  EXPECT_TRUE(sample_planned(request).value().events.at(0).adaptive);
}

TEST(SamplePlan, BranchStacksAreOfTheLinuxDevice) {
  request::RecordingView view;
  view.branches = true;
  const auto plan = make_sample_plan(recording(""), view, test_machine(), catalog_of(test_machine()));
  ASSERT_FALSE(plan.has_value());
  EXPECT_EQ(plan.error().code, diag::ExitCode::usage);
  EXPECT_TRUE(diag::names_all(plan.error().hint, {"arm_spe_0/branch_filter=1/"}));
}

TEST(SamplePlan, CyclesAreAnEventLikeAnyOther) {
  EXPECT_EQ(events_of(recording("cpu_cycles:1000")), "cycle(17):1000");
  EXPECT_EQ(events_of(recording("CPU_CYCLES")), "cycle(17):67108864");
  EXPECT_EQ(events_of(recording("r11:7")), "cycle(17):7");
  EXPECT_EQ(sample_planned(recording("r1,r2,r3,r4,r5,cpu_cycles")).value().events.size(), 6u);
  EXPECT_EQ(sample_error(recording("r1,r2,r3,r4,r5,r6,cpu_cycles")),
            "number of events requested exceeds the number of hardware PMU counters(6)")
      << "the processor's own cycle counter is the system's";
  EXPECT_EQ(events_of(recording("cpu_cycles:9,0x11:7")), "cycle(17):7 cycle(17):9");
}

// The order of sections in the report: cycles first, then by number.
TEST(SamplePlan, EventsInTheOrderOfTheReport) {
  EXPECT_EQ(events_of(recording("st_spec:1,ld_spec:2,cpu_cycles:3,r3:4")),
            "cycle(17):3 l1d_cache_refill(3):4 ld_spec(112):2 st_spec(113):1");
}

TEST(SamplePlan, ExtraEvents) {
  const Capabilities machine = test_machine();
  const EventCatalog words = make_event_catalog(machine, {"mine:fff2,loads:70"}, {}).value();
  const SamplePlan plan = make_sample_plan(recording("mine:5,loads:6"), {}, machine, words).value();
  EXPECT_EQ(plan.events[0].name, "ld_spec");
  EXPECT_EQ(plan.events[1].name, "mine");
  EXPECT_EQ(plan.events[1].code, 0xfff2);
}

TEST(SamplePlan, UnknownNames) {
  EXPECT_EQ(sample_error(recording("nonsense:5")), "unknown event name: nonsense");
  EXPECT_TRUE(sample_planned(recording("arm_spe_0//,ld_spec:5")).error().hint.starts_with("SPE is"));
  for (const char* list : {"/dsu/l3d_cache", "{ld_spec,st_spec}", "ld_spec,/dmc_clk/x"}) {
    const auto plan = sample_planned(recording(list));
    ASSERT_FALSE(plan.has_value()) << list;
    EXPECT_EQ(plan.error().text.rfind("unknown event name: ", 0), 0u) << list;
    EXPECT_FALSE(plan.error().hint.empty()) << list;
  }
}

TEST(SamplePlan, AsManyEventsAsThereAreFreeCounters) {
  const Capabilities taken = test_machine(kNeoverseN1, 4);
  EXPECT_EQ(sample_error(recording("r1,r2,r3,r4,r5,r6")), "no error");
  EXPECT_EQ(sample_error(recording("r1,r2,r3,r4,r5,r6,r7")),
            "number of events requested exceeds the number of hardware PMU counters(6)");
  EXPECT_EQ(sample_error(recording("r1,r2,r3,r4,r5,r6,r7"), taken),
            "number of events requested exceeds the number of hardware PMU counters(6)");
  EXPECT_EQ(sample_error(recording("r1,r2,r3,r4,r5"), taken),
            "number of events requested exceeds the number of free hardware PMU counters(4) out of a total of (6)");
  EXPECT_EQ(sample_error(recording("r1,r2,r3,r4"), taken), "no error");
  for (const char* events : {"cpu_cycles", ""}) {
    EXPECT_EQ(sample_error(recording(events), test_machine(kNeoverseN1, 0)),
              "number of events requested exceeds the number of free hardware PMU counters(0) out of a total of (6)");
  }
}

TEST(SamplePlan, CoresOfSample) {
  EXPECT_EQ(sample_planned(sampling("ld_spec")).value().cores, (std::vector<u32>{1}));
  request::Request request = sampling("ld_spec");
  request.cores = {{0, 1}};
  EXPECT_EQ(sample_error(request), kOneCoreOfSample);
  request.cores.clear();
  EXPECT_EQ(sample_error(request), kOneCoreOfSample);
  request.cores = {{2, 2}, {2, 2}};
  EXPECT_EQ(sample_error(request), "no error");
  request.cores.clear();
  Capabilities single = test_machine();
  single.core_count = 1;
  EXPECT_EQ(sample_planned(request, single).value().cores, (std::vector<u32>{0}));
}

TEST(SamplePlan, CoresOfRecord) {
  request::Request request = recording("ld_spec");
  EXPECT_EQ(sample_planned(request).value().cores, (std::vector<u32>{0}));
  request.cores = {{3, 3}};
  EXPECT_EQ(sample_planned(request).value().cores, (std::vector<u32>{3}));
  EXPECT_EQ(sample_planned(request).value().program_core, 3u);
  request.cores = {{0, 0}, {7, 7}};
  EXPECT_EQ(sample_error(request), kOneCoreOfRecord);
  request.sampling.events.clear();
  EXPECT_EQ(sample_error(request), kOneCoreOfRecord);
}

TEST(SamplePlan, SeveralCoresOnRequest) {
  request::Request request = recording("ld_spec");
  request.sampling.cores = {{4, 5}, {2, 2}, {4, 4}};
  EXPECT_EQ(sample_planned(request).value().cores, (std::vector<u32>{2, 4, 5}));
  EXPECT_EQ(sample_planned(request).value().program_core, 2u);
  request.cores = {{5, 5}};
  EXPECT_EQ(sample_planned(request).value().program_core, 5u);
  request.cores = {{6, 6}};
  EXPECT_TRUE(diag::names_all(sample_error(request), {"core 6", "-c", "--cores"}));
  request.sampling.all_cores = true;
  EXPECT_EQ(sample_planned(request).value().cores.size(), 8u);
  EXPECT_EQ(sample_planned(request).value().program_core, 6u);
  request.cores = {{0, 1}};
  EXPECT_EQ(sample_error(request), kOneCoreOfRecord);
  request.command = Command::sample;
  EXPECT_EQ(sample_error(request), kOneCoreOfSample);
  request.cores.clear();
  EXPECT_EQ(sample_planned(request).value().cores.size(), 8u);
}

TEST(SamplePlan, CoresThatAreNotThere) {
  request::Request request = recording("ld_spec");
  request.cores = {{8, 8}};
  EXPECT_EQ(sample_error(request), "core index 8 not allowed. Use 0-7, see option -c <n>");
  request.cores.clear();
  request.sampling.cores = {{6, 9}};
  EXPECT_EQ(sample_error(request), "core index 8 not allowed. Use 0-7, see option --cores <n>");
}

TEST(SamplePlan, NoProgram) {
  for (request::Request request : {recording("ld_spec"), sampling("ld_spec"), recording("")}) {
    request.pe_file.reset();
    request.program.reset();
    EXPECT_EQ(sample_error(request), kNoProgram);
  }
}

TEST(SamplePlan, TheNameOfAProcessNeedsTheFileToo) {
  request::Request request = sampling("ld_spec");
  request.pe_file.reset();
  const auto error = [&] { return sample_planned(request).error(); };
  EXPECT_EQ(error().text, kNoProgram);
  EXPECT_EQ(error().hint, "");
  request.image_name = "p.exe";
  EXPECT_EQ(error().text, kNoProgram);
  EXPECT_NE(error().hint.find("--pe_file FILE is needed, too"), std::string::npos);
}

// A request with every mistake. They are corrected one by one, in the order in which they must be reported.
TEST(SamplePlan, TheOrderOfTheChecks) {
  Capabilities machine = test_machine(kNeoverseN1, 4);
  for (const Command command : {Command::sample, Command::record}) {
    request::Request request = recording("nonsense,r1,r2,r3,r4,r5,r6");
    request.command = command;
    request.cores = {{0, 1}, {8, 8}};
    request.pe_file.reset();
    request.program.reset();
    EXPECT_EQ(sample_error(request, machine), "core index 8 not allowed. Use 0-7, see option -c <n>");
    request.cores = {{0, 1}};
    EXPECT_EQ(sample_error(request, machine), "unknown event name: nonsense");
    request.sampling.events = request::parse_sampling_list("r1,r2,r3,r4,r5,r6,r7").value();
    EXPECT_EQ(sample_error(request, machine),
              "number of events requested exceeds the number of hardware PMU counters(6)");
    request.sampling.events.resize(5);
    EXPECT_EQ(sample_error(request, machine),
              "number of events requested exceeds the number of free hardware PMU counters(4) out of a total of (6)");
    request.sampling.events.resize(4);
    if (command == Command::sample) {
      EXPECT_EQ(sample_error(request, machine), kOneCoreOfSample);
      request.cores = {{1, 1}};
    }
    EXPECT_EQ(sample_error(request, machine), kNoProgram);
    request.pe_file = "p.exe";
    if (command == Command::record) {
      EXPECT_EQ(sample_error(request, machine), kOneCoreOfRecord);
      request.cores = {{1, 1}};
    }
    EXPECT_EQ(sample_error(request, machine), "no error");
  }
}

TEST(SamplePlan, EventsLeftOfTheCommandAreNotDropped) {
  request::Request request = recording("");
  request.items.emplace_back(event_list("ld_spec"));
  EXPECT_TRUE(diag::names_all(sample_error(request), {"-e", "before the command"}));
  request.items.clear();
  request.items.emplace_back(request::MetricName{"imix"});
  EXPECT_EQ(sample_error(request), "no error");
}

TEST(SamplePlan, OptionsOfTheRun) {
  request::Request request = recording("ld_spec");
  const SamplePlan plain = sample_planned(request).value();
  EXPECT_FALSE(plain.kernel);
  EXPECT_EQ(plain.jitter_shift, 0u);
  EXPECT_FALSE(plain.rate_hz.has_value());
  EXPECT_FALSE(plain.display.decorated_names);
  request.kernel = true;
  request.sampling.jitter = true;
  request.sampling.display.decorated_names = true;
  const SamplePlan plan = sample_planned(request).value();
  EXPECT_TRUE(plan.kernel);
  EXPECT_EQ(plan.jitter_shift, 1u);
  EXPECT_TRUE(plan.display.decorated_names);
}

TEST(SamplePlan, ViewsOfCallersTakeStacksOfTheDepthThatWasAsked) {
  Capabilities machine = test_machine();
  machine.call_stacks = true;
  request::Request request = recording("ld_spec");
  request.sampling.call_stacks.most_frames = 3;
  EXPECT_FALSE(sample_planned(request, machine).value().call_stacks.wanted());
  request.recording.tree = true;
  const request::CallStacks stacks = sample_planned(request, machine).value().call_stacks;
  EXPECT_TRUE(stacks.wanted());
  EXPECT_EQ(stacks.most_frames, 3u);
  machine.call_stacks = false;
  EXPECT_TRUE(diag::names_all(sample_error(request, machine), {"driver", "call stacks"}));
}

TEST(SamplePlan, StacksThatMayBeMissingAreLeftOutWhereTheDeviceHasNone) {
  Capabilities machine = test_machine();
  machine.call_stacks = true;
  request::Request request = recording("ld_spec");
  request.sampling.call_stacks = request::automatic_stacks();
  request.sampling.call_stacks.may_be_missing = true;
  EXPECT_TRUE(sample_planned(request, machine).value().call_stacks.wanted());
  machine.call_stacks = false;
  EXPECT_FALSE(sample_planned(request, machine).value().call_stacks.wanted());
  machine.call_stacks = true;
  machine.foreign_driver = "Arm's driver";
  EXPECT_FALSE(sample_planned(request, machine).value().call_stacks.wanted());
  request.sampling.call_stacks.may_be_missing = false;
  EXPECT_TRUE(diag::names_all(sample_error(request, machine), {"Arm's driver", "call stacks"}));
}

TEST(SamplePlan, FunctionsOfPythonNeedAMachineThatShowsThem) {
  Capabilities machine = test_machine();
  request::Request request = recording("ld_spec");
  request.sampling.call_stacks = request::automatic_stacks();
  request.sampling.call_stacks.python = request::PythonFrames::folded;
  EXPECT_TRUE(diag::names_all(sample_error(request, machine), {"Python"}));
  machine.shows_python = true;
  EXPECT_EQ(sample_error(request, machine), "no error");
  request.sampling.call_stacks.source = request::StackSource::frame_pointers;
  EXPECT_TRUE(diag::names_all(sample_error(request, machine), {"--python", "stacks"}));
}

TEST(SamplePlan, ARateAdaptsWhatHasNoInterval) {
  request::Request request = recording("ld_spec,st_spec:500");
  request.sampling.rate_hz = 1000;
  EXPECT_EQ(events_of(request), "ld_spec(112):~1000000 st_spec(113):500");
  EXPECT_EQ(sample_planned(request).value().rate_hz, 1000u);
  request.sampling.events = request::parse_sampling_list("ld_spec:1,st_spec:500").value();
  EXPECT_TRUE(diag::names_all(sample_error(request), {"--freq", "-e"}));
  request.sampling.events.clear();
  EXPECT_EQ(events_of(request), "cycle(17):~1000000");
  request.sampling.rate_hz = 1;
  EXPECT_EQ(events_of(request), "cycle(17):~1000000000");
}

TEST(AdaptedInterval, ReachesTheRate) {
  constexpr u64 kSecond = 1'000'000'000;
  EXPECT_EQ(adapted_interval(100'000, 1000, kSecond, 1000), 100'000u);
  EXPECT_EQ(adapted_interval(100'000, 2000, kSecond, 1000), 200'000u);
  EXPECT_EQ(adapted_interval(100'000, 50, kSecond / 10, 1000), 50'000u);
  EXPECT_EQ(adapted_interval(100'000, 1, kSecond, 1000), 12'500u);
  EXPECT_EQ(adapted_interval(100'000, 0, kSecond, 1000), 12'500u);
  EXPECT_EQ(adapted_interval(100'000, 1'000'000, kSecond, 1000), 800'000u);
}

TEST(AdaptedInterval, StaysWithinBounds) {
  constexpr u64 kSecond = 1'000'000'000;
  EXPECT_EQ(adapted_interval(2000, 0, kSecond, 1000), 1000u);
  EXPECT_EQ(adapted_interval(~u32{0}, ~u64{0}, 1, 1), ~u32{0});
  EXPECT_EQ(adapted_interval(5000, 100, 0, 1000), 5000u);
  EXPECT_EQ(adapted_interval(1, ~u64{0}, ~u64{0}, ~u32{0}), 1000u);
}

// 25 million events a second, first estimated as a billion: how fast does the rate become right?
TEST(AdaptedInterval, SettlesInAFewSteps) {
  u64 interval = 1'000'000;
  for (int step = 0; step < 4; ++step) {
    interval = adapted_interval(static_cast<u32>(interval), 2'500'000 / interval, 100'000'000, 1000);
  }
  EXPECT_NEAR(static_cast<double>(interval), 25'000.0, 500.0);
}

}  // namespace
}  // namespace wperf::plan
