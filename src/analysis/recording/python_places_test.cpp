// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/recording/python_places.h"

#include <gtest/gtest.h>

#include <vector>

namespace wperf::recording {
namespace {

using Pair = PythonPlaces::Pair;

void note(PythonPlaces& places, Pair pair, int times) {
  for (int i = 0; i < times; ++i) places.note(pair);
}

std::vector<Pair> order_of(const PythonPlaces& places) {
  std::vector<Pair> out;
  EXPECT_FALSE(places.any_of([&](const Pair& pair) {
    out.push_back(pair);
    return false;
  }));
  return out;
}

TEST(PythonPlaces, OfferTheMostFrequentPairFirst) {
  constexpr Pair kRare{1, 2}, kFrequent{3, 70}, kMiddle{3, 2};
  PythonPlaces places;
  EXPECT_TRUE(order_of(places).empty());
  note(places, kRare, 2);
  note(places, kMiddle, 2);
  EXPECT_EQ(order_of(places), (std::vector<Pair>{kRare, kMiddle})) << "the older one of two that are equal";
  note(places, kFrequent, 4);
  note(places, kMiddle, 1);
  EXPECT_EQ(order_of(places), (std::vector<Pair>{kFrequent, kMiddle, kRare}));
  note(places, kRare, 3);
  EXPECT_EQ(order_of(places), (std::vector<Pair>{kRare, kFrequent, kMiddle}));
}

TEST(PythonPlaces, AreOfferedUntilOneIsTaken) {
  PythonPlaces places;
  note(places, {1, 2}, 1);
  note(places, {3, 4}, 2);
  note(places, {5, 6}, 3);
  int seen = 0;
  EXPECT_TRUE(places.any_of([&](const Pair& pair) {
    ++seen;
    return pair == Pair{3, 4};
  }));
  EXPECT_EQ(seen, 2);
}

TEST(PythonPlaces, AreLimited) {
  constexpr u16 kMostPairs = 1024;
  PythonPlaces places;
  for (u16 i = 0; i < 2 * kMostPairs; ++i) places.note({i, 0});
  EXPECT_EQ(order_of(places).size(), kMostPairs);
  note(places, {kMostPairs, 0}, 5);
  note(places, {kMostPairs - 1, 0}, 1);
  const auto order = order_of(places);
  EXPECT_EQ(order.size(), kMostPairs);
  EXPECT_EQ(order.front(), (Pair{kMostPairs - 1, 0})) << "those that were there are still counted";
}

TEST(PythonPlaces, AreLearnedInSomeLessons) {
  PythonPlaces places;
  for (u32 i = 0; i < PythonPlaces::kLessons; ++i) {
    EXPECT_TRUE(places.is_learning()) << i;
    places.end_lesson();
  }
  EXPECT_FALSE(places.is_learning());
}

}  // namespace
}  // namespace wperf::recording
