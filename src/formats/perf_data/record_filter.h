// SPDX-License-Identifier: BSD-3-Clause
// Between the rings of a recording and its file, if records are not written as the kernel wrote them. The Linux device
// gives it the records from the rings, round by round, and writes its output. Implemented by
// analysis/recording/live_unwinding, which the device must not know.
#pragma once
#include <cstddef>
#include <span>
#include <string>

#include "formats/perf_data/perf_file_layout.h"
#include "formats/perf_data/run_facts.h"

namespace wperf::perf_data {

class RecordFilter {
 public:
  virtual ~RecordFilter() = default;
  // Called first, with the events as the kernel has them.
  virtual void begin(std::span<const WrittenEvent> events) = 0;
  // Whole records, in one piece or in two that follow each other.
  virtual void take(std::span<const std::byte> first, std::span<const std::byte> second) = 0;
  // Nothing older than `before_ns` will come any more: appends the records that are older, in the order of their times.
  virtual void settle(u64 before_ns, std::string& out) = 0;
  // The rings are nearly full: for now, slow work is left out.
  virtual void set_hurried(bool is_hurried) = 0;
  // The stacks that could not be kept.
  virtual perf_data::StackFacts stacks() const = 0;
};

}  // namespace wperf::perf_data
