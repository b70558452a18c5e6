// SPDX-License-Identifier: BSD-3-Clause
// Runs work for modules in parallel, because modules are symbolized independently of each other.
#pragma once
#include <algorithm>
#include <atomic>
#include <cstddef>
#include <future>
#include <thread>
#include <vector>

namespace wperf::modules {

// Calls work(i) once for each i from 0 to count-1, on as many threads as the machine has; returns when all calls have
// ended.
template <typename Work>
void for_each_module(size_t count, Work work) {
  std::atomic<size_t> next{0};
  const auto worker = [&] {
    for (size_t i = next.fetch_add(1); i < count; i = next.fetch_add(1)) work(i);
  };
  const size_t threads = std::min<size_t>(count, std::max(1u, std::thread::hardware_concurrency()));
  std::vector<std::future<void>> helpers;
  for (size_t i = 1; i < threads; ++i) helpers.push_back(std::async(std::launch::async, worker));
  worker();
  for (std::future<void>& helper : helpers) helper.get();
}

}  // namespace wperf::modules
