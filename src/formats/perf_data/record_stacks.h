// SPDX-License-Identifier: BSD-3-Clause
// Callers of the code that SPE recorded, in a feature section of wperf's own: SPE itself records none.
#pragma once
#include <string>
#include <vector>

#include "ground/bytes/bytes.h"

namespace wperf::perf_data {

inline constexpr u32 kRecordStacksFeature = 253;

struct RecordStacks {
  struct Record {
    u64 ticks = 0;  // its timestamp
    u32 core = 0;
    u32 stack = 0;          // a number in `stacks`
    bool replaces = false;  // the first address of the stack replaces the place of the record
    friend bool operator==(const Record&, const Record&) = default;
  };
  std::vector<std::vector<u64>> stacks;  // addresses of instructions, the innermost first
  std::vector<Record> records;           // those of a core in the order of its SPE data
};

std::string record_stacks_bytes(const RecordStacks& stacks);
// Reads a damaged section up to the damage.
RecordStacks read_record_stacks(bytes::Span section);

}  // namespace wperf::perf_data
