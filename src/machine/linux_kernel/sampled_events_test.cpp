// SPDX-License-Identifier: BSD-3-Clause
// A sampling run on a kernel that refuses some requests; the test plays the kernel.
#include <gtest/gtest.h>
#include <sched.h>
#include <sys/ioctl.h>

#include <cerrno>
#include <cstring>

#include "machine/linux_kernel/sampled_events_linux.h"

namespace wperf::linux_kernel {
namespace {

using perf_events::Descriptor;
using perf_events::Scope;

// The error of kernels without user registers, and of containers' system call filters.
int refusal_of_copies = EINVAL;
u32 refused = 0;

Descriptor open_without_copies(perf_event_attr& attributes, Scope scope, int leader) {
  if (attributes.sample_regs_user != 0 || attributes.sample_stack_user != 0) {
    ++refused;
    errno = refusal_of_copies;
    return {};
  }
  return perf_events::open_event(attributes, scope, leader);
}

class SampledEventsTest : public testing::Test {
 protected:
  void SetUp() override {
    plan_.cores = {0};
    plan::SampleEvent& event = plan_.events.emplace_back();
    event.name = "cpu-clock";
    event.interval = 1'000'000;
    event.kernel_event = plan::KernelEvent{.type = 1, .config = 0, .clock = true, .cores = {}};
    perf_event_attr attributes = perf_events::attributes_of(*event.kernel_event, false);
    if (!perf_events::open_event(attributes, {.thread = 0, .core = 0}).is_open()) {
      GTEST_SKIP() << "this user may not measure anything here";
    }
    machine_.cores = {0};
    refusal_of_copies = EINVAL;
    refused = 0;
  }

  LinuxMachine machine_;
  plan::SamplePlan plan_;
};

TEST_F(SampledEventsTest, FramePointersAloneWhereTheKernelMakesNoCopies) {
  plan_.call_stacks = request::automatic_stacks();
  for (const int error : {EINVAL, EOPNOTSUPP, ENOSYS}) {
    refusal_of_copies = error;
    SampledEvents events(machine_, plan_, false, open_without_copies);
    const auto opened = events.open({0}, {0});
    ASSERT_TRUE(opened.has_value()) << opened.error().text;
    EXPECT_TRUE(events.copies_were_refused());
    EXPECT_EQ(events.rings().size(), 1u);
    ASSERT_EQ(events.as_recorded().size(), 1u);
    perf_event_attr recorded{};
    ASSERT_EQ(events.as_recorded()[0].attributes.size(), sizeof recorded);
    std::memcpy(&recorded, events.as_recorded()[0].attributes.data(), sizeof recorded);
    EXPECT_NE(recorded.sample_type & PERF_SAMPLE_CALLCHAIN, 0u);
    EXPECT_EQ(recorded.sample_type & (PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER), 0u);
    EXPECT_EQ(recorded.exclude_callchain_user, 0u);
  }
  EXPECT_GE(refused, 3u);
}

TEST_F(SampledEventsTest, CopiesThatWereAskedForByNameAreAnError) {
  plan_.call_stacks = {.source = request::StackSource::stack_copies};
  SampledEvents events(machine_, plan_, false, open_without_copies);
  const auto opened = events.open({0}, {0});
  ASSERT_FALSE(opened.has_value());
  EXPECT_EQ(opened.error().system_error, EINVAL);
  EXPECT_FALSE(events.copies_were_refused());
}

usize waiting_bytes(const perf_events::SampleRing& ring) {
  const auto pieces = ring.waiting();
  return pieces.first.size() + pieces.second.size();
}

TEST_F(SampledEventsTest, ALargerRingTakesTheRecordsOver) {
  plan_.events[0].interval = 100'000;
  cpu_set_t before, first;
  CPU_ZERO(&first);
  CPU_SET(0, &first);
  sched_getaffinity(0, sizeof before, &before);
  if (sched_setaffinity(0, sizeof first, &first) != 0) GTEST_SKIP() << "core 0 is not for this process";
  SampledEvents events(machine_, plan_, false);
  ASSERT_TRUE(events.open({0}, {0}).has_value());
  events.switch_all(PERF_EVENT_IOC_ENABLE);
  const auto spin_until_written = [&](usize ring, usize bytes) {
    for (u64 turn = 0; turn < 300'000'000 && waiting_bytes(events.rings()[ring]) <= bytes; ++turn) {
    }
    return waiting_bytes(events.rings()[ring]);
  };
  EXPECT_GT(spin_until_written(0, 0), 0u);
  events.enlarge(0);
  const usize left = waiting_bytes(events.rings()[0]);
  if (events.rings().size() != 2) GTEST_SKIP() << "this user may have no larger ring";
  EXPECT_GE(events.rings()[1].size(), 2 * events.rings()[0].size());
  EXPECT_GT(spin_until_written(1, 0), 0u);
  EXPECT_EQ(waiting_bytes(events.rings()[0]), left) << "nobody writes there any more, and nothing was lost";
  events.enlarge(0);
  EXPECT_EQ(events.rings().size(), 2u) << "it has its larger one";
  for (usize grown = 1; grown < 8; ++grown) events.enlarge(events.rings().size() - 1);
  EXPECT_LE(events.rings().back().size(), perf_events::kMostRingBytes);
  sched_setaffinity(0, sizeof before, &before);
}

TEST_F(SampledEventsTest, NothingIsSaidWhereTheKernelMakesThem) {
  plan_.call_stacks = request::automatic_stacks();
  SampledEvents events(machine_, plan_, false);
  const auto opened = events.open({0}, {0});
  ASSERT_TRUE(opened.has_value()) << opened.error().text;
  EXPECT_FALSE(events.copies_were_refused());
}

u32 wakeups_of(const SampledEvents& events) {
  perf_event_attr recorded{};
  std::memcpy(&recorded, events.as_recorded()[0].attributes.data(), sizeof recorded);
  return recorded.wakeup_events;
}

TEST_F(SampledEventsTest, OfPythonWakeWperfForEachSample) {
  plan_.call_stacks = request::automatic_stacks();
  {
    SampledEvents plain(machine_, plan_, false);
    ASSERT_TRUE(plain.open({0}, {0}).has_value());
    EXPECT_EQ(wakeups_of(plain), 0u);
  }
  plan_.call_stacks.python = request::PythonFrames::folded;
  {
    SampledEvents events(machine_, plan_, false);
    ASSERT_TRUE(events.open({0}, {0}).has_value());
    EXPECT_EQ(wakeups_of(events), 1u);
  }
  constexpr u64 kContextSwitches = 3;
  plan_.events[0].kernel_event->config = kContextSwitches;
  plan_.events[0].interval = 1'000'000;
  SampledEvents of_machine(machine_, plan_, false);
  ASSERT_TRUE(of_machine.open({0}, {0}).has_value());
  EXPECT_EQ(wakeups_of(of_machine), 0u) << "a wake-up is a context switch, which would wake wperf again";
  plan_.process = 1;
  SampledEvents of_process(machine_, plan_, false);
  ASSERT_TRUE(of_process.open({0}, {0}).has_value());
  EXPECT_EQ(wakeups_of(of_process), 1u);
}

}  // namespace
}  // namespace wperf::linux_kernel
