// SPDX-License-Identifier: BSD-3-Clause
// Spans that programs marked in a trace of Windows, by provider and name.
#pragma once
#include <string>
#include <vector>

#include "base/ints.h"

namespace wperf::stacks {

struct SpanRow {
  std::string provider, name;
  u64 count = 0, threads = 0;  // threads that began them
  u64 total_ns = 0, shortest_ns = 0, median_ns = 0, longest_ns = 0;
  u64 samples = 0, sampled = 0;    // of the threads within the spans, and the sum of their weights
  u64 unclosed = 0, unopened = 0;  // starts without a stop, stops without a start
};

struct SpanTable {
  std::string file;
  std::string sampled_by;         // the event of the samples; empty: there are none
  bool samples_are_time = false;  // SpanRow::sampled is nanoseconds of CPU
  std::vector<SpanRow> rows;      // rows with most time first
};

}  // namespace wperf::stacks
