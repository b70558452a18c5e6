// SPDX-License-Identifier: BSD-3-Clause
#include "sim/machine/virtual_time.h"

#include <thread>

namespace wperf::sim {
namespace {
constexpr std::chrono::milliseconds kSlack(2);  // more frequent sleeps would cost more than they gain
}

void Pacer::begin(u64 virtual_ns) {
  if (!real()) return;
  virtual_start_ns_ = virtual_ns;
  wall_start_ = std::chrono::steady_clock::now();
}

void Pacer::sleep_until(u64 virtual_ns) const {
  std::this_thread::sleep_until(wall_start_ + std::chrono::nanoseconds(virtual_ns - virtual_start_ns_));
}

void Pacer::keep(u64 virtual_ns) const {
  if (!real()) return;
  const auto ahead =
      wall_start_ + std::chrono::nanoseconds(virtual_ns - virtual_start_ns_) - std::chrono::steady_clock::now();
  if (ahead > kSlack) sleep_until(virtual_ns);
}

void Pacer::finish(u64 virtual_ns) const {
  if (real()) sleep_until(virtual_ns);
}

}  // namespace wperf::sim
