// SPDX-License-Identifier: BSD-3-Clause
// The kernel's records other than samples: mappings, threads, losses, arrived AUX data. Every struct has the thread and
// time from the record's trailer. read() returns false if the record is shorter than its contents claim.
#pragma once
#include "formats/perf_data/event_table.h"

namespace wperf::perf_data {

struct KernelRecord {
  Identity identity;
};

struct Mmap : KernelRecord {  // mmap and mmap2
  u32 pid = 0, tid = 0;
  u64 address = 0, length = 0, page_offset = 0;
  bool is_data = false;   // not mapped for execution
  bool is_mmap2 = false;  // if true, protection and flags are known, and either build_id or device and inode
  Bytes build_id;
  u32 device_major = 0, device_minor = 0;
  u64 inode = 0, inode_generation = 0;
  u32 protection = 0, flags = 0;
  std::string_view file;
};

struct Comm : KernelRecord {
  u32 pid = 0, tid = 0;
  std::string_view name;
  bool by_exec = false;
};

struct Task : KernelRecord {  // fork and exit
  bool is_exit = false;
  u32 pid = 0, parent_pid = 0, tid = 0, parent_tid = 0;
  u64 time = 0;
};

struct Lost : KernelRecord {
  u64 id = 0;
  u64 records = 0;
};

struct LostSamples : KernelRecord {
  u64 samples = 0;
  bool by_filter = false;  // dropped by the user's BPF program, as the user intended
};

struct Throttle : KernelRecord {
  bool is_end = false;
  u64 time = 0, id = 0, stream_id = 0;
};

struct CounterRead : KernelRecord {
  u32 pid = 0, tid = 0;
  CounterValues values;
};

struct Aux : KernelRecord {
  u64 offset = 0, size = 0;
  u64 flags = 0;  // kAux… bits
};

struct ItraceStart : KernelRecord {
  u32 pid = 0, tid = 0;
};

struct Switch : KernelRecord {  // context_switch and switch_cpu_wide
  bool is_out = false, is_preempted = false;
  bool is_cpu_wide = false;  // if true, the previous or next thread is known
  u32 next_prev_pid = 0, next_prev_tid = 0;
};

struct Namespaces : KernelRecord {
  u32 pid = 0, tid = 0;
  Words links;  // device and inode of each namespace
};

struct KernelSymbol : KernelRecord {
  u64 address = 0;
  u32 length = 0;
  u16 type = 0, flags = 0;
  std::string_view name;
};

struct BpfEvent : KernelRecord {
  u16 type = 0, flags = 0;
  u32 id = 0;
  u64 tag = 0;
};

struct Cgroup : KernelRecord {
  u64 id = 0;
  std::string_view path;
};

struct TextPoke : KernelRecord {
  u64 address = 0;
  Bytes old_code, new_code;
};

struct AuxOutputHardwareId : KernelRecord {
  u64 hardware_id = 0;
};

struct DeferredCallchain : KernelRecord {
  u64 cookie = 0;
  Words callchain;
};

bool read(const Record& record, const EventTable& events, Mmap& out);
bool read(const Record& record, const EventTable& events, Comm& out);
bool read(const Record& record, const EventTable& events, Task& out);
bool read(const Record& record, const EventTable& events, Lost& out);
bool read(const Record& record, const EventTable& events, LostSamples& out);
bool read(const Record& record, const EventTable& events, Throttle& out);
bool read(const Record& record, const EventTable& events, CounterRead& out);
bool read(const Record& record, const EventTable& events, Aux& out);
bool read(const Record& record, const EventTable& events, ItraceStart& out);
bool read(const Record& record, const EventTable& events, Switch& out);
bool read(const Record& record, const EventTable& events, Namespaces& out);
bool read(const Record& record, const EventTable& events, KernelSymbol& out);
bool read(const Record& record, const EventTable& events, BpfEvent& out);
bool read(const Record& record, const EventTable& events, Cgroup& out);
bool read(const Record& record, const EventTable& events, TextPoke& out);
bool read(const Record& record, const EventTable& events, AuxOutputHardwareId& out);
bool read(const Record& record, const EventTable& events, DeferredCallchain& out);

}  // namespace wperf::perf_data
