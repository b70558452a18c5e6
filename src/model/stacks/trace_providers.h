// SPDX-License-Identifier: BSD-3-Clause
// Which events a trace of Windows holds, by provider. Times are nanoseconds since the trace began.
#pragma once
#include <string>
#include <utility>
#include <vector>

#include "base/ints.h"

namespace wperf::stacks {

struct ProviderEvent {
  std::string name;  // empty: not known
  u32 id = 0;        // or the opcode, for providers whose events differ by it
  u64 count = 0, bytes = 0;
  u64 first = 0, last = 0;
  u64 threads = 0;       // the number of different ones in its headers
  bool is_read = false;  // reports and waits use it
};

struct TraceProvider {
  std::string name;  // empty: not known
  std::string guid;  // empty: the kernel's
  u64 events = 0, bytes = 0;
  std::vector<ProviderEvent> kinds;  // the most frequent first
};

struct TraceProviders {
  std::string file;
  u64 events = 0, bytes = 0, duration = 0;
  u64 disk_reads = 0, disk_read_bytes = 0, disk_writes = 0, disk_written_bytes = 0;
  u64 hard_faults = 0, hard_fault_bytes = 0;
  std::vector<TraceProvider> providers;  // the most frequent first
};

// One event that no report uses.
struct TraceMark {
  u64 time = 0;
  u32 process = ~u32{0}, thread = ~u32{0};  // ~0: not known
  u32 core = 0;
  std::string process_name = {};
  std::string provider = {}, event = {};
  struct Field {
    std::string name, value;
    bool is_number = false;
  };
  std::vector<Field> fields = {};
  u64 bytes = 0;        // of its payload
  bool is_cut = false;  // there are more fields, which cannot be read
};

}  // namespace wperf::stacks
