// SPDX-License-Identifier: BSD-3-Clause
// Spans that programs marked in a trace of Windows, by provider and name. Made by recording, shown by report.
#pragma once
#include <string>
#include <vector>

#include "base/ints.h"

namespace wperf::stacks {

struct SpanRow {
  std::string provider, name;
  u64 count = 0, threads = 0;  // threads that began them
  u64 total_ns = 0, shortest_ns = 0, median_ns = 0, longest_ns = 0;
  u64 samples = 0, sampled = 0;    // of their threads in them, and what these count
  u64 unclosed = 0, unopened = 0;  // starts without a stop, stops without a start
};

struct SpanTable {
  std::string file;
  std::string sampled_by;         // the event whose samples count; empty: there are none
  bool samples_are_time = false;  // SpanRow::sampled is nanoseconds of CPU
  std::vector<SpanRow> rows;      // those with most time first
};

}  // namespace wperf::stacks
