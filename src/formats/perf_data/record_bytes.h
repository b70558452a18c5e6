// SPDX-License-Identifier: BSD-3-Clause
// Records that do not come from a kernel: for programs that ran before the recording began, and for samples of other
// devices. Each function appends one whole record, padded to 8 bytes. Texts are cut if the record would exceed 64 KiB.
// `Trailer` is the end of a record with sample_id_all; only the fields in `sample_type` are written, in the kernel's
// order.
#pragma once
#include <span>
#include <string>
#include <string_view>

#include "base/ints.h"

namespace wperf::perf_data {

struct Trailer {
  u64 sample_type = 0;  // sample_type of the events; 0: no trailer
  u32 pid = 0, tid = 0, cpu = 0;
  u64 time = 0, id = 0, stream_id = 0;
};

struct WrittenMapping {
  u32 pid = 0, tid = 0;
  u64 address = 0, length = 0, page_offset = 0;
  bool kernel = false;
  u32 protection = 0x5, flags = 0x2;  // read and execute, private
  u32 device_major = 0, device_minor = 0;
  u64 inode = 0, inode_generation = 0;
  std::string_view build_id = {};  // at most 20 bytes; if empty, device and inode are written
  std::string_view file = {};
};

// A thread and its process.
struct TaskNumbers {
  u32 pid = 0, tid = 0;
};

struct WrittenSample {
  u64 sample_type = 0;  // IDENTIFIER, IP, TID, TIME, ID, STREAM_ID, CPU, PERIOD, CALLCHAIN and REGS_USER are supported
  u64 id = 0, stream_id = 0, ip = 0, time = 0, period = 0;
  u32 pid = 0, tid = 0, cpu = 0;
  bool kernel = false;
  std::span<const u64> callchain = {};       // including its marks
  std::span<const u64> user_registers = {};  // may be empty; otherwise as many as the event's mask has bits
};

void append_mmap2(std::string& out, const WrittenMapping& mapping, const Trailer& trailer);
void append_comm(std::string& out, TaskNumbers task, std::string_view name, bool by_exec, const Trailer& trailer);
void append_fork(std::string& out, TaskNumbers child, TaskNumbers parent, u64 time, const Trailer& trailer);
void append_sample(std::string& out, const WrittenSample& sample);
// Lost samples of the event in `trailer` that no other record reports.
void append_lost_samples(std::string& out, u64 samples, const Trailer& trailer);
// The kind of hardware trace in the file. `parameters` have the form that perf expects for this kind.
void append_auxtrace_info(std::string& out, u32 type, std::span<const u64> parameters);
// A stretch of one core's trace, which begins at `offset` of that trace. `bytes` follow the record, padded to a
// multiple of 8.
void append_auxtrace(std::string& out, u32 core, u64 offset, std::string_view bytes);
// How to convert timestamps of a trace to nanoseconds of samples: zero + (ticks * multiplier >> shift).
void append_time_conversion(std::string& out, u64 shift, u64 multiplier, u64 zero);
void append_finished_round(std::string& out);
// The name of an event, for programs that read the file before it is finished.
void append_event_name(std::string& out, u64 id, std::string_view name);

}  // namespace wperf::perf_data
