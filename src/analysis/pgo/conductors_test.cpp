// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/pgo/conductors.h"

#include <gtest/gtest.h>

#include <random>
#include <vector>

namespace wperf::pgo {
namespace {

using Ends = Conductors::Ends;

// The current that flows from each point through the conductors.
std::vector<double> currents_of(const std::vector<Ends>& ends, const std::vector<double>& conductances,
                                const std::vector<double>& potentials) {
  std::vector<double> currents(potentials.size());
  const auto potential = [&](u32 point) { return point == Conductors::kGround ? 0 : potentials[point]; };
  for (usize i = 0; i < ends.size(); ++i) {
    const double current = conductances[i] * (potential(ends[i].from) - potential(ends[i].to));
    if (ends[i].from != Conductors::kGround) currents[ends[i].from] += current;
    if (ends[i].to != Conductors::kGround) currents[ends[i].to] -= current;
  }
  return currents;
}

TEST(Conductors, OhmsLaw) {
  const std::vector<Ends> ends = {{Conductors::kGround, 0}, {0, 1}, {0, 1}, {1, Conductors::kGround}};
  Conductors conductors(2, ends);
  conductors.set(std::vector<double>{1, 2, 3, 4});
  std::vector<double> values = {7, 0};
  conductors.solve(values);
  EXPECT_TRUE(conductors.is_exact());
  const std::vector<double> currents = currents_of(ends, {1, 2, 3, 4}, values);
  EXPECT_NEAR(currents[0], 7, 1e-9);
  EXPECT_NEAR(currents[1], 0, 1e-9);
}

TEST(Conductors, ManyPointsWithSomeConductorsMissing) {
  constexpr u32 kPoints = 3000;
  std::mt19937 random(7);
  std::vector<Ends> ends;
  std::vector<double> conductances;
  for (u32 i = 0; i < kPoints; ++i) {
    ends.push_back({i, i + 1 < kPoints ? i + 1 : Conductors::kGround});
    conductances.push_back(static_cast<double>(1 + random() % 1000));
    ends.push_back({i, i + random() % 8 < kPoints ? i + static_cast<u32>(random() % 2) : i});
    if (ends.back().to >= kPoints) ends.back().to = i;
    conductances.push_back(static_cast<double>(random() % 3));
  }
  Conductors conductors(kPoints, ends);
  conductors.set(conductances);
  std::vector<double> wanted, values;
  for (u32 i = 0; i < kPoints; ++i) wanted.push_back(static_cast<double>(random() % 100));
  values = wanted;
  conductors.solve(values);
  ASSERT_TRUE(conductors.is_exact());
  const std::vector<double> currents = currents_of(ends, conductances, values);
  for (u32 i = 0; i < kPoints; ++i) EXPECT_NEAR(currents[i], wanted[i], 1e-3) << i;
}

TEST(Conductors, APartWithoutGroundNeedsNone) {
  Conductors conductors(3, std::vector<Ends>{{0, 1}, {1, 2}, {2, Conductors::kGround}});
  conductors.set(std::vector<double>{2, 0, 1});
  std::vector<double> values = {6, -6, 5};
  conductors.solve(values);
  EXPECT_NEAR(values[0] - values[1], 3, 1e-9);
  EXPECT_NEAR(values[2], 5, 1e-9);
}

}  // namespace
}  // namespace wperf::pgo
