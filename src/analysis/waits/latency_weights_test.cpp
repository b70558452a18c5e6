// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/waits/latency_weights.h"

#include <gtest/gtest.h>

#include "analysis/waits/played_machine_test.h"

namespace wperf::waits {
namespace {

TEST(Parallelism, ThreadsThatRunAtOnceAreCounted) {
  Parallelism running;
  running.add(10, 50);
  running.add(20, 40);
  running.add(40, 60);  // begins when the previous one ends
  running.add(70, 70);
  running.add(80, 100);
  running.finish();
  for (const auto& [time, number] : {std::pair{9u, 0u},
                                     {10u, 1u},
                                     {20u, 2u},
                                     {39u, 2u},
                                     {40u, 2u},
                                     {50u, 1u},
                                     {60u, 0u},
                                     {70u, 0u},
                                     {99u, 1u},
                                     {100u, 0u}}) {
    EXPECT_EQ(running.at(time), number) << time;
  }
  EXPECT_EQ(running.times(), (std::vector<u64>{10 + 10 + 20, 30}));
}

TEST(Parallelism, OfNobodyNothingIsKnown) {
  Parallelism nobody;
  nobody.finish();
  EXPECT_EQ(nobody.at(5), 0u);
  EXPECT_TRUE(nobody.times().empty());
}

constexpr u64 kMs = 1'000'000;

// Thread 7 runs from 0 to 80 ms, thread 8 from 20 to 100 ms, each on its own core.
recording::RecordedSwitches two_threads() {
  recording::RecordedSwitches switches;
  switches.switches = {change(0, 0, stacks::kIdleThread, stacks::Leaving::preempted, 7),
                       change(20 * kMs, 1, stacks::kIdleThread, stacks::Leaving::preempted, 8),
                       change(80 * kMs, 0, 7, stacks::Leaving::waits, stacks::kIdleThread),
                       change(100 * kMs, 1, 8, stacks::Leaving::waits, stacks::kIdleThread)};
  switches.threads = {{7, {.process = 7, .name = "a"}}, {8, {.process = 7, .name = "a"}}};
  switches.end = 100 * kMs;
  switches.samples = 2;
  switches.running_samples = {{.sample = 0, .thread = 7, .weight = 10, .time = 10 * kMs},
                              {.sample = 1, .thread = 8, .weight = 10, .time = 50 * kMs}};
  return switches;
}

TEST(LatencyWeights, TimesAreThoseOfThePart) {
  const LatencyOptions options{.by_time = true, .running = {}};
  const LatencyWeights all = latency_weights(two_threads(), options, {});
  EXPECT_EQ(all.weights, (std::vector<u64>{10, 5}));
  EXPECT_EQ(all.parallel_ns, (std::vector<u64>{40 * kMs, 60 * kMs}));
  EXPECT_EQ(all.whole, "the time in which any thread ran: 1 thread 40.0 ms, 2 threads 60.0 ms");
  const LatencyWeights part = latency_weights(two_threads(), options, {.from = 10 * kMs, .to = 50 * kMs});
  EXPECT_EQ(part.parallel_ns, (std::vector<u64>{10 * kMs, 30 * kMs}));
  EXPECT_EQ(part.weights, all.weights) << "samples at the limits count as before";
}

TEST(LatencyWeights, TimesOfAllSamplesSayNothingAboutSome) {
  const LatencyWeights some = latency_weights(two_threads(), {.by_time = true, .running = {}}, {.is_all_of_it = false});
  EXPECT_EQ(some.whole, "the time in which any thread ran");
  EXPECT_TRUE(some.parallel_ns.empty());
  const LatencyOptions two{.by_time = false, .running = request::ThreadNumbers{2, 2}};
  EXPECT_EQ(latency_weights(two_threads(), two, {.is_all_of_it = false}).whole,
            "the samples of all programs while 2 threads of any ran");
  EXPECT_EQ(latency_weights(two_threads(), two, {}).whole,
            "the samples of all programs while 2 threads of any ran: 60.0 ms");
}

}  // namespace
}  // namespace wperf::waits
