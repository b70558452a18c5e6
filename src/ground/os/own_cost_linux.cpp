// SPDX-License-Identifier: BSD-3-Clause
#include <sys/resource.h>
#include <unistd.h>

#include <cstdio>

#include "ground/os/own_cost.h"

namespace wperf::os {
namespace {

u64 nanoseconds(const timeval& time) {
  return static_cast<u64>(time.tv_sec) * 1'000'000'000 + static_cast<u64>(time.tv_usec) * 1'000;
}

}  // namespace

OwnCost own_cost() {
  OwnCost cost;
  rusage usage{};
  if (getrusage(RUSAGE_SELF, &usage) == 0) {
    cost.cpu_ns = nanoseconds(usage.ru_utime) + nanoseconds(usage.ru_stime);
    cost.most_bytes = static_cast<u64>(usage.ru_maxrss) << 10;
  }
  if (std::FILE* const file = std::fopen("/proc/self/statm", "re")) {
    unsigned long size = 0, resident = 0;
    if (std::fscanf(file, "%lu %lu", &size, &resident) == 2) {
      cost.resident_bytes = u64{resident} * static_cast<u64>(sysconf(_SC_PAGESIZE));
    }
    std::fclose(file);
  }
  return cost;
}

}  // namespace wperf::os
