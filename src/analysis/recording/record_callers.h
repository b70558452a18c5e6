// SPDX-License-Identifier: BSD-3-Clause
// Adds the Python functions that called the code of SPE records; they are in a section of the recording.
#pragma once
#include <unordered_map>
#include <vector>

#include "formats/perf_data/record_stacks.h"
#include "formats/spe/operation_record.h"
#include "model/stacks/stack_aggregator.h"

namespace wperf::recording {

class RecordCallers {
 public:
  explicit RecordCallers(perf_data::RecordStacks stacks);

  bool are_known() const { return !stacks_.records.empty(); }
  // Appends the callers of the record to `frames`, which has its place. Must be called for all records of a core, in
  // order.
  void add_to(u32 core, const spe::Record& record, std::vector<stacks::StackFrame>& frames);

 private:
  perf_data::RecordStacks stacks_;
  struct Stream {
    std::vector<usize> records;  // indices into stacks_
    usize next = 0;
  };
  std::unordered_map<u32, Stream> streams_;  // keyed by core
};

}  // namespace wperf::recording
