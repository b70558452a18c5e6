// SPDX-License-Identifier: BSD-3-Clause
// A sample: the fields that its event has, as numbers and views into the file. Other fields are zero and empty;
// EventAttributes::has() shows which ones exist.
#pragma once
#include <bit>
#include <optional>
#include <string_view>

#include "base/ints.h"
#include "formats/perf_data/event_attributes.h"

namespace wperf::perf_data {

// Register numbers as in the kernel's masks of recorded registers.

// The register with the first argument of a system call (rdi, x0). It keeps this value during the call.
inline constexpr u32 kFirstArgumentX86 = 5, kFirstArgumentArm64 = 0;

// `architecture`: as spelled in a file; nullopt if it is unknown.
inline std::optional<u32> first_argument_register(std::string_view architecture) {
  if (architecture == "x86_64") return kFirstArgumentX86;
  if (architecture == "aarch64" || architecture == "arm64") return kFirstArgumentArm64;
  return std::nullopt;
}

inline constexpr u32 kNoEvent = ~u32{0};

// Counter values: the event's value, or the values of all members of its group.
struct CounterValues {
  u64 enabled_ns = 0, running_ns = 0;
  u32 count = 0;
  u64 value(usize index) const { return is_group() ? words[index * stride()] : lone_value; }
  u64 id(usize index) const { return (format & kReadId) != 0 ? words[behind_value(index)] : 0; }
  u64 lost(usize index) const {
    if ((format & kReadLost) == 0) return 0;
    return words[behind_value(index) + ((format & kReadId) != 0 ? 1 : 0)];
  }

  // As they are in the file. For an event without a group, the times are between its value and its id.
  u64 format = 0;  // kRead… bits
  u64 lone_value = 0;
  Words words;
  bool is_group() const { return (format & kReadGroup) != 0; }
  usize stride() const { return 1u + ((format & kReadId) != 0 ? 1u : 0u) + ((format & kReadLost) != 0 ? 1u : 0u); }

 private:
  usize behind_value(usize index) const { return is_group() ? index * stride() + 1 : 0; }
};

struct BranchStack {
  bool has_hardware_index = false;
  u64 hardware_index = 0;
  Words words;     // from, to and flags of each branch
  Words counters;  // one for each branch, if requested
  usize size() const { return words.size() / 3; }
  u64 from(usize index) const { return words[index * 3]; }
  u64 to(usize index) const { return words[index * 3 + 1]; }
  u64 flags(usize index) const { return words[index * 3 + 2]; }
  // If both return false, the hardware did not report the prediction.
  bool mispredicted(usize index) const { return (flags(index) & 1) != 0; }
  bool predicted(usize index) const { return (flags(index) & 2) != 0; }
  // Cycles since the previous branch; 0: not known.
  u64 cycles(usize index) const { return flags(index) >> 4 & 0xffff; }
};

struct Registers {
  u64 abi = 0;   // 0: none, 1: 32-bit, 2: 64-bit
  u64 mask = 0;  // the recorded registers; their values are in the order of the bits
  Words values;
  // Returns nullopt if the register was not recorded.
  std::optional<u64> value_of(u32 number) const {
    const u64 bit = u64{1} << number;
    if (abi == 0 || (mask & bit) == 0) return std::nullopt;
    const auto index = static_cast<usize>(std::popcount(mask & (bit - 1)));
    if (index >= values.size()) return std::nullopt;
    return values[index];
  }
};

struct UserStack {
  Bytes bytes;      // the number of bytes that was requested
  u64 written = 0;  // how many of these bytes the kernel filled in
};

struct Sample {
  u32 event = kNoEvent;  // index into the events of the file; kNoEvent if the sample has no id
  u16 misc = 0;
  u32 pid = 0, tid = 0, cpu = 0;
  u64 id = 0, stream_id = 0;
  u64 ip = 0, time = 0, address = 0, period = 0;
  u64 weight = 0;
  u64 data_source = 0, transaction = 0;
  u64 physical_address = 0, cgroup = 0, data_page_size = 0, code_page_size = 0;
  CounterValues counters;
  Words callchain;  // addresses, with marks (>= kCallchainMarks) before each part
  Bytes raw;        // the raw data of a tracepoint or of a PMU with additional fields
  BranchStack branches;
  Registers user_registers, interrupt_registers;
  UserStack user_stack;
  Bytes aux;

  u32 cpu_mode() const { return misc & kMiscCpuMode; }
  bool exact_ip() const { return (misc & kMiscExactIp) != 0; }
  // The parts of weight, if kSampleWeightParts was requested. Intel's cores define these names.
  u32 access_latency() const { return static_cast<u32>(weight); }
  u16 instruction_latency() const { return static_cast<u16>(weight >> 32); }
  u16 retire_latency() const { return static_cast<u16>(weight >> 48); }
};

// Returns false if lengths and counts in the body contradict its size. `unread`: number of bytes after the last field.
bool read_sample(Bytes body, const EventAttributes& attributes, Sample& out, usize* unread = nullptr);
void read_counter_values(Reader& reader, u64 format, CounterValues& out);

}  // namespace wperf::perf_data
