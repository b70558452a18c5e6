// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/waits/latency_weights.h"

#include <gtest/gtest.h>

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

}  // namespace
}  // namespace wperf::waits
