// SPDX-License-Identifier: BSD-3-Clause
// The callers of the code that SPE recorded, in a feature section defined by wperf, because SPE itself records no
// callers.
#pragma once
#include <string>
#include <vector>

#include "ground/bytes/bytes.h"

namespace wperf::perf_data {

inline constexpr u32 kRecordStacksFeature = 253;

struct RecordStacks {
  struct Record {
    u64 ticks = 0;  // the SPE record's timestamp
    u32 core = 0;
    u32 stack = 0;          // index into `stacks`
    bool replaces = false;  // the first address of the stack replaces the address of the SPE record
    friend bool operator==(const Record&, const Record&) = default;
  };
  std::vector<std::vector<u64>> stacks;  // addresses of instructions, innermost first
  std::vector<Record> records;           // records of one core are in the order of its SPE data
};

std::string record_stacks_bytes(const RecordStacks& stacks);
// A damaged section is read up to the damage.
RecordStacks read_record_stacks(bytes::Span section);

}  // namespace wperf::perf_data
