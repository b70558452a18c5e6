// SPDX-License-Identifier: BSD-3-Clause
// The settings of one event: the kernel's perf_event_attr in any of its sizes. They determine the layout of the event's
// samples and trailers.
#pragma once
#include <bit>
#include <string>

#include "base/ints.h"
#include "formats/perf_data/format.h"

namespace wperf::perf_data {

struct EventAttributes {
  u32 type = 0;  // number of the PMU
  u32 size = 0;  // size of the struct in the program that wrote it
  u64 config = 0;
  u64 period_or_frequency = 0;
  u64 sample_type = 0;  // SampleField bits
  u64 read_format = 0;
  u64 flags = 0;  // the bit field after read_format
  u64 config1 = 0, config2 = 0, config3 = 0;
  u64 branch_sample_type = 0;
  u64 user_registers = 0;  // a mask
  u32 user_stack_size = 0;
  u32 clock_id = 0;
  u64 interrupt_registers = 0;
  u16 max_stack = 0;
  u64 signal_data = 0;

  bool has(u64 fields) const { return (sample_type & fields) != 0; }
  // Do branch records list calls that have not returned yet (perf record --call-graph lbr), instead of taken branches?
  bool has_call_branches() const { return has(kSampleBranchStack) && (branch_sample_type & kBranchCallStack) != 0; }
  bool has_taken_branches() const { return has(kSampleBranchStack) && !has_call_branches(); }
  bool is_inherited() const { return flag(1); }
  bool exclude_user() const { return flag(4); }
  bool exclude_kernel() const { return flag(5); }
  bool by_frequency() const { return flag(10); }
  u32 precision() const { return static_cast<u32>(flags >> 15) & 3; }
  bool sample_id_all() const { return flag(18); }
  bool marks_execs() const { return flag(24); }  // comm records say whether an exec caused them
  bool uses_clock_id() const { return flag(25); }
  // True if this event, or another event that shares the record, requested deferred call chains.
  bool defers_callchains() const { return flag(38) || flag(39); }
  // Bytes at the end of each record that is not a sample.
  usize trailer_size() const {
    return sample_id_all() ? static_cast<usize>(std::popcount(sample_type & kIdentityFields)) * sizeof(u64) : 0;
  }

 private:
  bool flag(u32 bit) const { return ((flags >> bit) & 1) != 0; }
};

inline constexpr usize kSmallestAttributes = 64;

// Returns false if the bytes are shorter than the kernel's first version of the struct. Fields that the writer did not
// know are zero.
bool read_event_attributes(Bytes bytes, EventAttributes& out);

// The perf_event_attr of an event that does not come from the kernel. For --export_perf_data; on Linux the kernel's
// perf_event_attr is used.
struct WrittenAttributes {
  u32 type = 0;
  u64 config = 0;
  u64 period = 0;
  u64 sample_type = 0;
  bool kernel = false;     // the kernel is sampled, too
  u64 user_registers = 0;  // a bit mask, used with kSampleUserRegisters
};

// Written in an old form of the struct that every perf reads. Every record has a trailer (sample_id_all).
std::string attribute_bytes(const WrittenAttributes& attributes);

}  // namespace wperf::perf_data
