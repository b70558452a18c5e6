// SPDX-License-Identifier: BSD-3-Clause
// The fake of Arm's driver refuses the same requests as the real driver, has its faults, and fails where the real
// driver would crash.
#include "sim/arm_driver/fake_driver.h"

#include <gtest/gtest.h>

#include <cstring>

namespace wperf::windowsperf::fake {
namespace {

// Hardware that counts one event per microsecond on each counter, and samples on request.
struct SteadyHardware final : FakeHardware {
  u64 now = 0, begun = 0;
  bool taken_by_others = false;
  Programmed programmed;
  std::vector<FakeSample> coming;

  FakeParts all{
      .midr = 0x414fd0c1, .cores = 4, .counters = 2, .free_counters = 2, .counter_map = {1, 2}, .dmc_channels = {}};
  u64 now_ns() override { return now; }
  diag::Result<FakeParts> parts() override { return all; }
  diag::Result<bool> take_counters(bool) override { return !taken_by_others; }
  void give_counters_back() override {}
  bool has_counters() override { return !taken_by_others; }
  diag::Result<void> count(const Programmed& what) override {
    programmed = what;
    begun = now;
    return {};
  }
  diag::Result<Counted> stop_counting() override {
    Counted counted;
    const u64 count = (now - begun) / 1000;
    for (const u32 core : programmed.cores) {
      counted.cores[core] = {.cycles = count, .values = {}};
      for (const u16 code : programmed.core) counted.cores[core].values.push_back(count * code);
    }
    return counted;
  }
  diag::Result<void> sample(u32, bool, const std::vector<FakeSource>&) override { return {}; }
  diag::Result<std::vector<FakeSample>> take_samples() override { return std::exchange(coming, {}); }
  diag::Result<void> stop_sampling() override { return {}; }
};

struct FakeWindowsPerf : testing::Test {
  SteadyHardware hardware;
  FakeDriver driver{hardware, {}};
  u32 handle = driver.open();
  std::vector<std::byte> output = std::vector<std::byte>(8192);

  diag::Result<Answer> ask(u32 who, Request request, const std::vector<std::byte>& input) {
    return driver.control(who, static_cast<u32>(request), input, output);
  }
  u32 error_of(Request request, const std::vector<std::byte>& input) {
    const auto answered = ask(handle, request, input);
    return answered.has_value() ? answered.value().error : ~0u;  // a crash
  }
  static std::vector<std::byte> word(u32 value) {
    std::vector<std::byte> bytes(4);
    std::memcpy(bytes.data(), &value, 4);
    return bytes;
  }
  static std::vector<std::byte> cores(const std::vector<u8>& numbers, u32 flags = 1, u32 period = 10) {
    CoreList list{};
    list.count = numbers.size();
    std::copy(numbers.begin(), numbers.end(), list.numbers);
    list.flags = flags;
    list.period_ms = period;
    list.dmc_channel = kAllChannels;
    std::vector<std::byte> bytes(sizeof list);
    std::memcpy(bytes.data(), &list, sizeof list);
    return bytes;
  }
  static std::vector<std::byte> codes(u32 core, const std::vector<u16>& list) {
    std::vector<std::byte> bytes(24 + 2 * list.size());
    const AssignHeader header{.core = core, .dmc_channel = kAllChannels, .padding = {}, .filter_bits = kUserOnly};
    const EventBlock block{.event_class = 0, .count = static_cast<u16>(list.size()), .padding = 0};
    std::memcpy(bytes.data(), &header, sizeof header);
    std::memcpy(bytes.data() + 16, &block, sizeof block);
    std::memcpy(bytes.data() + 24, list.data(), 2 * list.size());
    return bytes;
  }
  static std::vector<std::byte> source(u32 core) {
    std::vector<std::byte> bytes = word(core);
    const SampleSource one{.event = 8, .interval = 10, .filter_bits = kUserOnly};
    bytes.resize(16);
    std::memcpy(bytes.data() + 4, &one, sizeof one);
    return bytes;
  }
  u32 lock(u32 who, u32 action = kLockGet) {
    EXPECT_TRUE(ask(who, Request::lock_acquire, word(action)).has_value());
    u32 status = 0;
    std::memcpy(&status, output.data(), 4);
    return status;
  }
  CountAnswer counted(u8 core = 0) {
    EXPECT_EQ(error_of(Request::count_read, cores({core})), 0u);
    CountAnswer answer;
    std::memcpy(&answer, output.data(), sizeof answer);
    return answer;
  }
  void pass(u64 milliseconds) {
    hardware.now += milliseconds * 1'000'000;
    EXPECT_TRUE(driver.catch_up().has_value());
  }
  SampleTotals stop_sampling() {
    EXPECT_EQ(error_of(Request::sample_stop, cores({1})), 0u);
    SampleTotals totals{};
    std::memcpy(&totals, output.data(), sizeof totals);
    return totals;
  }
  void begin(const std::vector<u16>& list) {
    lock(handle);
    error_of(Request::assign, codes(0, list));
    error_of(Request::count_reset, cores({0}));
    driver.settle();
    error_of(Request::count_start, cores({0}));
  }
};

TEST_F(FakeWindowsPerf, ChecksComeInTheDriversOrder) {
  EXPECT_EQ(error_of(Request::hardware, {}), kInvalidBlockLength);
  output.resize(kMostOutput + 1);
  EXPECT_EQ(error_of(Request::hardware, word(0)), kMoreData);
  output.resize(8192);
  EXPECT_EQ(driver.control(handle, 0x9C44E45C, word(0), output).value().error, kInvalidParameter);
  EXPECT_EQ(error_of(Request::hardware, word(0)), kBadCommand);  // refused before its length is checked
  EXPECT_EQ(error_of(Request::hardware, {std::byte{1}}), kBadCommand);
  lock(handle);
  EXPECT_EQ(error_of(Request::hardware, {std::byte{1}}), kInvalidParameter);
  EXPECT_EQ(error_of(Request::hardware, word(0)), 0u);
}

TEST_F(FakeWindowsPerf, RefusesWhatTheDriverChecks) {
  lock(handle);
  EXPECT_EQ(error_of(Request::count_start, cores({})), kInvalidParameter);
  EXPECT_EQ(error_of(Request::count_read, cores({0, 1})), kInvalidParameter);
  EXPECT_EQ(error_of(Request::count_start, cores({200})), kInvalidParameter);
  EXPECT_EQ(error_of(Request::count_stop, cores({0}, 16)), kInvalidParameter);
  EXPECT_EQ(error_of(Request::assign, codes(0, std::vector<u16>(128, 8))), kInvalidParameter);
  EXPECT_EQ(error_of(Request::lock_acquire, word(7)), kInvalidParameter);
}

TEST_F(FakeWindowsPerf, CrashesWhereTheDriverChecksNothing) {
  const auto crashes = [&](Request request, const std::vector<std::byte>& input, size_t room = 8192) {
    FakeDriver one(hardware, {});
    const u32 who = one.open();
    std::vector<std::byte> answer(8192);
    EXPECT_TRUE(one.control(who, static_cast<u32>(Request::lock_acquire), word(0), answer).has_value());
    answer.resize(room);
    const bool crashed = !one.control(who, static_cast<u32>(request), input, answer).has_value();
    answer.resize(8192);
    EXPECT_EQ(one.control(who, static_cast<u32>(Request::hardware), word(0), answer).has_value(), !crashed);
    return crashed;
  };
  EXPECT_TRUE(crashes(Request::count_start, cores({4})));
  EXPECT_TRUE(crashes(Request::count_read, cores({0}), 4111));
  EXPECT_FALSE(crashes(Request::count_read, cores({0}), 4112));
  EXPECT_TRUE(crashes(Request::hardware, word(0), 335));
  EXPECT_TRUE(crashes(Request::version, std::vector<std::byte>(324), 68));
  EXPECT_TRUE(crashes(Request::sample_get, word(0), 3080));
  EXPECT_TRUE(crashes(Request::sample_get, word(4)));
  EXPECT_TRUE(crashes(Request::sample_sources, word(0)));
  EXPECT_TRUE(crashes(Request::sample_sources, source(4)));
  EXPECT_TRUE(crashes(Request::lock_acquire, word(0), 0));
  EXPECT_TRUE(crashes(Request::assign, codes(4, {8})));
  std::vector<std::byte> too_long = codes(0, {8});
  too_long[20] = std::byte{9};
  EXPECT_TRUE(crashes(Request::assign, too_long));
  EXPECT_TRUE(crashes(Request::count_start, cores({0}, kCountDsu)));
  EXPECT_TRUE(crashes(Request::dmc_read, cores({0})));
  EXPECT_TRUE(crashes(Request::dsu_init, word(0x00020002)));
}

TEST_F(FakeWindowsPerf, LockOutlivesItsHandle) {
  EXPECT_EQ(lock(handle), 2u);
  EXPECT_EQ(lock(handle), 2u);
  driver.close(handle);
  const u32 other = driver.open();
  EXPECT_EQ(lock(other), 1u);
  EXPECT_EQ(lock(other, kLockForce), 2u);
  EXPECT_EQ(error_of(Request::hardware, word(0)), kBadCommand);  // the client that lost the lock gets this error
}

TEST_F(FakeWindowsPerf, LockNeedsCounters) {
  hardware.all.free_counters = 0;
  EXPECT_EQ(lock(handle), 3u);
  hardware.taken_by_others = true;
  EXPECT_EQ(lock(handle), 1u);
}

TEST_F(FakeWindowsPerf, RemovalRefusesEverything) {
  driver.remove();
  EXPECT_EQ(error_of(Request::lock_acquire, word(0)), kBadCommand);
}

TEST_F(FakeWindowsPerf, WhatCameAfterTheLastTickIsLostAtStop) {
  begin({3});
  pass(20);
  pass(15);
  error_of(Request::count_stop, cores({0}));
  EXPECT_EQ(counted().events[1].value, 60'000u);
  EXPECT_EQ(counted().round, 1u);
  error_of(Request::count_start, cores({0}));  // the lost counts arrive with the next tick
  pass(20);
  EXPECT_EQ(counted().events[1].value, 60'000u + 45'000u + 60'000u);
}

TEST_F(FakeWindowsPerf, RotationTicksTwiceAsOften) {
  begin({1, 2, 3});
  pass(10);
  EXPECT_EQ(counted().round, 1u);
  EXPECT_EQ(counted().events[1].value, 10'000u);
  EXPECT_EQ(counted().events[3].scheduled, 0u);
  pass(10);
  EXPECT_EQ(counted().events[3].value, 30'000u);
  EXPECT_EQ(counted().events[1].scheduled, 2u);  // entries 2, 0
}

TEST_F(FakeWindowsPerf, ResetLeavesTheRotationWhereItWas) {
  begin({1, 2, 3});
  pass(10);
  error_of(Request::count_stop, cores({0}));
  error_of(Request::count_reset, cores({0}));
  driver.settle();
  error_of(Request::count_start, cores({0}));
  pass(10);
  EXPECT_EQ(counted().events[1].value, 30'000u);  // the count of event 3 appears as the count of event 1
}

TEST_F(FakeWindowsPerf, StartBesideALateResetLosesTheFirstTick) {
  lock(handle);
  error_of(Request::assign, codes(0, {1}));
  error_of(Request::count_reset, cores({0}));
  error_of(Request::count_start, cores({0}));
  pass(20);
  EXPECT_EQ(counted().events[1].value, 0u);
}

TEST_F(FakeWindowsPerf, BytesBehindAnAnswerAreGarbage) {
  begin({1});
  EXPECT_EQ(counted().events[2].event, 0xCDCDCDCDu);
}

TEST_F(FakeWindowsPerf, DroppedSampleSilencesItsCounter) {
  lock(handle);
  error_of(Request::sample_sources, source(1));
  error_of(Request::sample_start, cores({1}));
  hardware.coming.assign(kMostSamples + 50, {.pc = 1, .lr = 2, .sources = 1});
  const SampleTotals totals = stop_sampling();
  EXPECT_EQ(totals.generated, kMostSamples + 1u);
  EXPECT_EQ(totals.dropped, 1u);
  error_of(Request::sample_get, word(1));
  SampleAnswer answer{};
  std::memcpy(&answer, output.data(), sizeof answer);
  EXPECT_EQ(answer.count, kMostSamples);
  EXPECT_EQ(answer.samples[0].overflow_flags, 2u);  // counter 1 is the first free one
}

TEST_F(FakeWindowsPerf, ReadingWhileItSamplesSilencesToo) {
  lock(handle);
  error_of(Request::sample_sources, source(1));
  error_of(Request::sample_start, cores({1}));
  error_of(Request::sample_get, word(1));
  hardware.coming.assign(10, {.pc = 1, .lr = 2, .sources = 1});
  EXPECT_EQ(stop_sampling().dropped, 1u);
}

TEST_F(FakeWindowsPerf, StartWithoutSourcesSamplesNothing) {
  lock(handle);
  error_of(Request::sample_sources, source(1));
  error_of(Request::sample_start, cores({1}));
  stop_sampling();
  error_of(Request::sample_start, cores({1}));
  hardware.coming.assign(10, {.pc = 1, .lr = 2, .sources = 1});
  EXPECT_EQ(stop_sampling().generated, 0u);
}

TEST_F(FakeWindowsPerf, LockIsNotGivenBackWhileItSamples) {
  lock(handle);
  error_of(Request::sample_sources, source(1));
  error_of(Request::sample_start, cores({1}));
  EXPECT_EQ(error_of(Request::lock_release, word(kLockRelease)), ~0u);
}

TEST_F(FakeWindowsPerf, SpeSucceedsAndDoesNothing) {
  for (const Request request : {Request::spe_init, Request::spe_start, Request::spe_stop, Request::spe_get_buffer}) {
    const auto answered = ask(handle, request, word(0));
    EXPECT_EQ(answered.value().error, 0u);
    EXPECT_EQ(answered.value().bytes, 0u);
  }
  EXPECT_EQ(ask(handle, Request::spe_get_size, word(0)).value().bytes, 8u);
}

}  // namespace
}  // namespace wperf::windowsperf::fake
