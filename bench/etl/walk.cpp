// SPDX-License-Identifier: BSD-3-Clause
// walk FILE: reads a trace with the product's reader: all events of all cores in the order of their times, each
// identified by its kind. Prints the seconds and the number of events.
#include <chrono>
#include <cstdio>

#include "formats/etl/kernel_payloads.h"
#include "formats/etl/trace.h"
#include "ground/os/mapped_file.h"

int main(int count, char** words) {
  using namespace wperf;
  if (count != 2) return 2;
  const auto begin = std::chrono::steady_clock::now();
  const auto file = os::MappedFile::open(words[1]);
  if (!file.has_value()) return 1;
  const auto trace = etl::Trace::open(file.value().bytes());
  if (!trace.has_value()) return 1;
  etl::TraceLosses losses;
  u64 events = 0, known = 0, before = 0, disorder = 0;
  trace.value().for_each_event(
      [&](const etl::Event& event) {
        ++events;
        disorder += event.time < before;
        before = event.time;
        known += etl::switch_event(event).has_value() || etl::ready_event(event).has_value() ||
                 etl::sample_event(event).has_value() || etl::stack_event(event).has_value();
      },
      losses);
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
  std::printf("%.6f %llu %llu %llu\n", took.count(), static_cast<unsigned long long>(events),
              static_cast<unsigned long long>(known), static_cast<unsigned long long>(disorder));
  return 0;
}
