// SPDX-License-Identifier: BSD-3-Clause
#include "formats/spe/latency.h"

#include <gtest/gtest.h>

namespace wperf::spe {
namespace {

TEST(LatencyBuckets, EveryLatencyIsInItsBucket) {
  u32 before = 0;
  for (u32 cycles = 0; cycles <= 0xffff; ++cycles) {
    const u32 bucket = latency_bucket(cycles);
    ASSERT_LT(bucket, kLatencyBuckets);
    ASSERT_LE(first_latency(bucket), cycles);
    ASSERT_GE(last_latency(bucket), cycles);
    ASSERT_TRUE(bucket == before || bucket == before + 1) << cycles;
    before = bucket;
  }
  EXPECT_EQ(before, kLatencyBuckets - 1);
  EXPECT_EQ(last_latency(kLatencyBuckets - 1), 0xffffU);
}

TEST(LatencyBuckets, AreNarrow) {
  for (u32 cycles = 0; cycles < 32; ++cycles) EXPECT_EQ(last_latency(latency_bucket(cycles)), cycles);
  for (u32 bucket = 32; bucket < kLatencyBuckets; ++bucket) {
    EXPECT_LE((last_latency(bucket) - first_latency(bucket) + 1) * 16, first_latency(bucket)) << bucket;
  }
}

TEST(LatencyBuckets, MoreThanACounterHoldsIsTheLast) {
  EXPECT_EQ(latency_bucket(0x10000), kLatencyBuckets - 1);
  EXPECT_EQ(last_latency(latency_bucket(kSaturatedLatency)), kSaturatedLatency);
}

}  // namespace
}  // namespace wperf::spe
