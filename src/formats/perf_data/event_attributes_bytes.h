// SPDX-License-Identifier: BSD-3-Clause
// The perf_event_attr of an event that does not come from the kernel. For --export_perf_data; the Linux device has a
// perf_event_attr already.
#pragma once
#include <string>

#include "base/ints.h"

namespace wperf::perf_data {

struct WrittenAttributes {
  u32 type = 0;
  u64 config = 0;
  u64 period = 0;
  u64 sample_type = 0;
  bool kernel = false;     // the kernel is sampled, too
  u64 user_registers = 0;  // a mask, with kSampleUserRegisters
};

// In an old form of the struct, which every perf reads. Every record has a trailer (sample_id_all).
std::string attribute_bytes(const WrittenAttributes& attributes);

}  // namespace wperf::perf_data
