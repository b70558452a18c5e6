// SPDX-License-Identifier: BSD-3-Clause
// Answers of Arm's driver: correct answers, and answers of a faulty driver.
#include <gtest/gtest.h>

#include "machine/windowsperf/scripted_machine.h"
#include "machine/windowsperf/windowsperf_machine.h"

namespace wperf::windowsperf {
namespace {

struct WindowsPerfAnswers : testing::Test {
  void open() {
    auto owned = std::make_unique<ScriptedMachine>();
    machine = owned.get();
    device = make_windowsperf_device(std::move(owned));
  }
  WindowsPerfAnswers() { open(); }
  plan::Capabilities ready() {
    EXPECT_TRUE(device->acquire(false).has_value());
    return device->capabilities(device::Device::Spe::left_alone).value();
  }
  std::unique_ptr<device::SampleSession> sampling() {
    ready();
    plan::SamplePlan plan;
    plan.cores = {1};
    plan.process = 77;
    plan.events.resize(2);
    plan.events[0].code = 8;
    plan.events[0].interval = 1000;
    plan.events[1].code = 9;
    plan.events[1].interval = 2000;
    auto session = device->open_sampling(plan).value();
    EXPECT_TRUE(session->start().has_value());
    return session;
  }
  ScriptedMachine* machine = nullptr;
  std::unique_ptr<device::Device> device;
};

TEST_F(WindowsPerfAnswers, HardwareBecomesCapabilities) {
  machine->hardware.free_counters = 4;
  machine->hardware.counter_map[0] = 2;
  machine->hardware.id_aa64dfr0 = u64{1} << 32;
  machine->hardware.pmsidr = 5;
  const plan::Capabilities found = ready();
  EXPECT_EQ(found.core_count, 4u);
  EXPECT_EQ(found.counters_total[0], 6u);
  EXPECT_EQ(found.counters_free[0], 4u);
  EXPECT_EQ(found.counter_map[0], 2);
  EXPECT_EQ(found.counter_map[4], 0xff);
  EXPECT_EQ(found.core_midr, std::vector<u64>(4, 0x414fd0c1));
  EXPECT_EQ(found.period_default_ms, 10u);
  EXPECT_EQ(found.pmsidr, 0u);
  EXPECT_NE(found.why_no_spe.find("built without SPE"), std::string::npos);
  EXPECT_FALSE(found.call_stacks);
}

TEST_F(WindowsPerfAnswers, BuildWithSpeIsToldApart) {
  std::memcpy(machine->version.features, u"+trace+spe", 22);
  EXPECT_NE(ready().why_no_spe.find("built with SPE"), std::string::npos);
}

TEST_F(WindowsPerfAnswers, MoreCoresThanItsListsHoldAreLeftOut) {
  machine->hardware.core_count = 192;
  EXPECT_EQ(ready().core_count, 127u);
}

TEST_F(WindowsPerfAnswers, AnswersOfAnotherSizeAreNotRead) {
  for (const size_t size : {0u, 32u, 320u, 335u, 337u, 8192u, 9000u}) {
    open();
    machine->answer_with(Request::hardware, machine->hardware, size);
    EXPECT_FALSE(device->acquire(false).has_value()) << size;
  }
  for (const size_t size : {0u, 68u, 323u, 325u}) {
    open();
    machine->answer_with(Request::version, machine->version, size);
    EXPECT_FALSE(device->acquire(false).has_value()) << size;
  }
}

TEST_F(WindowsPerfAnswers, ImpossibleHardwareIsRefused) {
  machine->hardware.core_count = 0;
  EXPECT_FALSE(device->acquire(false).has_value());
  open();
  machine->hardware.free_counters = 7;
  EXPECT_FALSE(device->acquire(false).has_value());
  open();
  machine->hardware.free_counters = machine->hardware.total_counters = 32;
  EXPECT_FALSE(device->acquire(false).has_value());
}

TEST_F(WindowsPerfAnswers, CountersThatOthersHoldNameTheLikelyHolder) {
  machine->lock_status = 3;
  const auto taken = device->acquire(false);
  ASSERT_FALSE(taken.has_value());
  EXPECT_NE(taken.error().hint.find("event tracing"), std::string::npos);
}

TEST_F(WindowsPerfAnswers, CountOfOtherEventsIsNoCount) {
  ready();
  plan::CountPlan plan;
  plan.cores = {0};
  plan.schedules[0].counters = 6;
  plan.schedules[0].entries.resize(1);
  plan.schedules[0].entries[0].code = 8;
  auto session = device->open_count(plan).value();
  ASSERT_TRUE(session->start().has_value());
  CountAnswer answer{};
  answer.count = 2;
  answer.events[1].event = 9;
  machine->answer(Request::count_read, [&](auto, std::span<std::byte> output) {
    answer.round = machine->now / 20'000'000;
    std::memcpy(output.data(), &answer, sizeof answer);
    return Answer{.error = 0, .bytes = sizeof answer};
  });
  ASSERT_TRUE(session->stop().has_value());
  EXPECT_FALSE(session->read().has_value());
  answer.count = 129;
  EXPECT_FALSE(session->check().has_value());
}

TEST_F(WindowsPerfAnswers, FlagsOfSamplesGoThroughTheMapOfCounters) {
  machine->hardware.counter_map[0] = 3;
  machine->hardware.counter_map[1] = 5;
  machine->samples.count = 4;
  machine->samples.samples[0] = {.lr = 1, .pc = 0x1000, .overflow_flags = 1 << 3, .spe_event = 0, .padding = 0};
  machine->samples.samples[1] = {.lr = 2, .pc = 0x2000, .overflow_flags = 1 << 5, .spe_event = 0, .padding = 0};
  machine->samples.samples[2] = {
      .lr = 3, .pc = ~u64{0}, .overflow_flags = 1 << 5 | 1 << 3, .spe_event = 0, .padding = 0};
  machine->samples.samples[3] = {.lr = 4, .pc = 0x4000, .overflow_flags = 1 << 0, .spe_event = 0, .padding = 0};
  machine->totals = {.generated = 4, .dropped = 0};
  auto session = sampling();
  machine->now += 5'000'000;
  ASSERT_TRUE(session->stop().has_value());
  readings::SampleCapture capture;
  ASSERT_TRUE(session->drain(capture).has_value());
  ASSERT_EQ(capture.samples.size(), 3u);
  EXPECT_EQ(capture.samples[0].overflowed, 1u);
  EXPECT_EQ(capture.samples[1].overflowed, 2u);
  EXPECT_EQ(capture.samples[2].overflowed, 3u);
  EXPECT_EQ(capture.samples[2].exception_level, 1);
  EXPECT_EQ(capture.samples[0].process, 77u);
  EXPECT_LT(capture.samples[0].time_ns, capture.samples[1].time_ns);
  EXPECT_EQ(capture.core_statistics.at(0).taken, 4u);
  EXPECT_EQ(capture.core_statistics.at(0).unreadable, 1u);
}

TEST_F(WindowsPerfAnswers, SlicesGetLongerWhereSamplesAreRareAndShorterWhereTheyAreMany) {
  auto session = sampling();
  readings::SampleCapture capture;
  u64 before = 0;
  for (int i = 0; i < 6; ++i) {
    machine->now += session->drain_every_ns(~u64{0});
    ASSERT_TRUE(session->drain(capture).has_value());
    EXPECT_GT(session->drain_every_ns(~u64{0}), before);
    before = session->drain_every_ns(~u64{0});
  }
  machine->samples.count = 128;
  machine->totals = {.generated = 129, .dropped = 1};
  for (auto& sample : machine->samples.samples) sample.overflow_flags = 1;
  machine->now += before;
  ASSERT_TRUE(session->drain(capture).has_value());
  EXPECT_LT(session->drain_every_ns(~u64{0}), before / 4);
  EXPECT_EQ(capture.core_statistics.at(0).lost_ring_full, 1u);
  EXPECT_NE(capture.remark.find("its buffer was full"), std::string::npos);
}

TEST_F(WindowsPerfAnswers, MoreSamplesThanFitAreNotRead) {
  auto session = sampling();
  machine->samples.count = 129;
  EXPECT_FALSE(session->stop().has_value());
}

TEST_F(WindowsPerfAnswers, RefusalsAreSentences) {
  for (const u32 error : {5u, 87u, 122u, 234u, 1106u, 1450u}) {
    open();
    ready();
    machine->refuse(Request::count_stop, error);
    plan::CountPlan plan;
    plan.cores = {0};
    plan.schedules[0].counters = 6;
    plan.schedules[0].entries.resize(1);
    const auto opened = device->open_count(plan);
    ASSERT_FALSE(opened.has_value());
    EXPECT_NE(opened.error().text.find("Arm's driver"), std::string::npos);
  }
}

}  // namespace
}  // namespace wperf::windowsperf
