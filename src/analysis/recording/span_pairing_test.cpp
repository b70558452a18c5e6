// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/recording/span_pairing.h"

#include <gtest/gtest.h>

namespace wperf::recording {
namespace {

constexpr u32 kDraw = 0, kRequest = 1;

class SpanMarks {
 public:
  SpanMarks& start(u64 time, u32 thread, u32 kind = kDraw, u64 activity = 0) {
    return take(time, thread, kind, activity, false);
  }
  SpanMarks& stop(u64 time, u32 thread, u32 kind = kDraw, u64 activity = 0) {
    return take(time, thread, kind, activity, true);
  }
  PairedSpans paired() { return pairing_.finish(); }

 private:
  SpanMarks& take(u64 time, u32 thread, u32 kind, u64 activity, bool is_stop) {
    pairing_.take({.time = time, .kind = kind, .thread = thread, .activity = {activity, 0}, .is_stop = is_stop});
    return *this;
  }
  SpanPairing pairing_;
};

std::vector<std::array<u64, 4>> spans_of(const PairedSpans& paired) {
  std::vector<std::array<u64, 4>> out;
  for (const PairedSpan& one : paired.spans) out.push_back({one.kind, one.thread, one.begin, one.end});
  return out;
}

using ExpectedSpans = std::vector<std::array<u64, 4>>;  // kind, thread, begin, end

TEST(SpanPairing, AStopClosesTheLatestStartOfItsKindOnItsThread) {
  const PairedSpans got = SpanMarks()
                              .start(10, 7)
                              .start(11, 8)
                              .start(12, 7, kRequest)
                              .start(13, 7)  // Work within Work
                              .stop(20, 7)
                              .stop(21, 8)
                              .stop(22, 7)
                              .stop(23, 7, kRequest)  // spans with an activity need not be nested
                              .paired();
  EXPECT_EQ(spans_of(got),
            (ExpectedSpans{{kDraw, 7, 13, 20}, {kDraw, 8, 11, 21}, {kDraw, 7, 10, 22}, {kRequest, 7, 12, 23}}));
  EXPECT_EQ(got.unclosed, (std::vector<u64>{0, 0}));
  EXPECT_EQ(got.unopened, (std::vector<u64>{0, 0}));
}

TEST(SpanPairing, WhatHasNoOtherEndIsCounted) {
  const PairedSpans got = SpanMarks()
                              .stop(5, 7)  // the span began before the trace
                              .start(10, 7)
                              .start(20, 7)
                              .stop(30, 7)
                              .stop(31, 8)
                              .start(40, 8, kRequest)
                              .start(41, SpanMark::kNobody)
                              .stop(42, SpanMark::kNobody)
                              .paired();
  EXPECT_EQ(spans_of(got), (ExpectedSpans{{kDraw, 7, 20, 30}}));
  EXPECT_EQ(got.unclosed, (std::vector<u64>{2, 1}));
  EXPECT_EQ(got.unopened, (std::vector<u64>{3, 0}));
}

TEST(SpanPairing, AnActivityMayEndOnAnotherThread) {
  const PairedSpans got = SpanMarks()
                              .start(10, 7, kDraw, 100)
                              .start(11, 7, kDraw, 200)
                              .start(12, 7)
                              .stop(20, 8, kDraw, 100)
                              .stop(21, 7)              // without an activity, so it does not match the start with an
                                                        // activity
                              .stop(22, 7, kDraw, 300)  // has no start
                              .stop(23, SpanMark::kNobody, kDraw, 200)
                              .paired();
  EXPECT_EQ(spans_of(got), (ExpectedSpans{{kDraw, 7, 10, 20}, {kDraw, 7, 12, 21}, {kDraw, 7, 11, 23}}));
  EXPECT_EQ(got.unopened, (std::vector<u64>{1}));
}

TEST(SpanPairing, RecursionWithinAnActivity) {
  const PairedSpans got =
      SpanMarks().start(10, 7, kDraw, 1).start(12, 7, kDraw, 1).stop(15, 7, kDraw, 1).stop(19, 7, kDraw, 1).paired();
  EXPECT_EQ(spans_of(got), (ExpectedSpans{{kDraw, 7, 12, 15}, {kDraw, 7, 10, 19}}));
}

TEST(SpanStretches, WhatLiesInSeveralIsThereOnce) {
  const std::vector<PairedSpan> spans{{0, 7, 40, 50}, {0, 7, 10, 20}, {1, 7, 12, 15},
                                      {1, 7, 18, 30}, {0, 7, 60, 60}, {0, 8, 5, 6}};
  const ThreadStretches merged = merged_stretches(spans);
  ASSERT_EQ(merged.at(7).size(), 3u);
  EXPECT_EQ(merged.at(7)[0].end, 30u);
  for (const auto& [time, within] :
       {std::pair{9u, false}, {10u, true}, {29u, true}, {30u, false}, {40u, true}, {50u, false}, {60u, false}}) {
    EXPECT_EQ(lies_within(merged, 7, time), within) << time;
  }
  EXPECT_TRUE(lies_within(merged, 8, 5));
  EXPECT_FALSE(lies_within(merged, 9, 5));
}

}  // namespace
}  // namespace wperf::recording
