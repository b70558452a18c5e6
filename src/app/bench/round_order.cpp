// SPDX-License-Identifier: BSD-3-Clause
#include "app/bench/round_order.h"

#include <random>

namespace wperf::bench {

std::vector<bool> draw_order(u64 rounds) {
  std::mt19937 random(22);
  std::vector<bool> order(rounds);
  // With an odd number of rounds, either half gets the additional round.
  const u64 first = rounds % 2 == 0 ? 0 : random() % 2;
  for (u64 i = 0; i < rounds; ++i) order[i] = (i + first) % 2 == 0;
  for (u64 i = rounds; i > 1; --i) {
    const u64 other = random() % i;
    const bool kept = order[i - 1];
    order[i - 1] = order[other];
    order[other] = kept;
  }
  return order;
}

}  // namespace wperf::bench
