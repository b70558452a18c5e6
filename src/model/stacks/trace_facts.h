// SPDX-License-Identifier: BSD-3-Clause
// Facts about a trace of Windows: its gaps and losses, with their times. Times are nanoseconds since the trace began.
#pragma once
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/ints.h"
#include "model/stacks/python_samples.h"

namespace wperf::stacks {

struct TraceGapFacts {
  std::string evidence;          // how the gap was noticed: "events lost" and "buffer lost" by a buffer's flag, "buffer
                                 // numbers", "damage", "end of file"
  std::optional<u32> core = {};  // nullopt: not known
  u64 begin = 0, end = 0;
  u64 buffers = 0;  // number of missing buffers; 0 if not known
};

// A loss that the recorder noticed; its time is known to about a second.
struct TraceLossSpan {
  u64 begin = 0, end = 0;
  u64 events = 0, buffers = 0;
};

struct TraceFacts {
  u64 events_lost = 0, buffers_lost = 0;  // the header's counts
  u64 flagged_buffers = 0;                // buffers whose flag says that data before them was lost
  u64 missing_buffers = 0;                // derived from the numbers of the existing buffers
  u64 missing_at_end = 0;                 // missing buffers after the last existing buffer of a file
  u64 buffers_written = 0;                // how many buffers were written to a file that lacks its last buffers
  u64 cut_buffers = 0, damaged_buffers = 0, damaged_bytes = 0;
  u64 out_of_order = 0;
  u64 samples_of_nobody = 0;
  u64 unexplained_stacks = 0, samples_without_stack = 0;
  bool is_without_idle = false;  // there are samples of idle cores, and they are left out
  u64 idle_samples = 0;          // number of samples of idle cores in the chosen time
  std::vector<TraceGapFacts> gaps = {};
  std::vector<TraceLossSpan> lost_over_time = {};
  PythonSamples python = {};  // samples and switches
};

// The events in a trace of Windows, by provider. Times are nanoseconds since the trace began.
struct ProviderEvent {
  std::string name;  // empty: not known
  u32 id = 0;        // the event's id, or its opcode if the provider distinguishes events by opcode
  u64 count = 0, bytes = 0;
  u64 first = 0, last = 0;
  u64 threads = 0;       // number of different threads in the events' headers
  bool is_read = false;  // reports and waits use this event
};

struct TraceProvider {
  std::string name;  // empty: not known
  std::string guid;  // empty: the kernel's own provider
  u64 events = 0, bytes = 0;
  std::vector<ProviderEvent> kinds;  // ordered by frequency, the most frequent first
};

struct TraceProviders {
  std::string file;
  u64 events = 0, bytes = 0, duration = 0;
  u64 disk_reads = 0, disk_read_bytes = 0, disk_writes = 0, disk_written_bytes = 0;
  u64 hard_faults = 0, hard_fault_bytes = 0;
  std::vector<TraceProvider> providers;  // ordered by frequency, the most frequent first
};

// One event that no report uses.
struct TraceMark {
  u64 time = 0;
  u32 process = ~u32{0}, thread = ~u32{0};  // ~0 if not known
  u32 core = 0;
  std::string process_name = {};
  std::string provider = {}, event = {};
  struct Field {
    std::string name, value;
    bool is_number = false;
  };
  std::vector<Field> fields = {};
  u64 bytes = 0;        // of its payload
  bool is_cut = false;  // there are more fields, but they cannot be read
};

// Spans that programs marked in a trace of Windows, grouped by provider and name.
struct SpanRow {
  std::string provider, name;
  u64 count = 0, threads = 0;  // `threads`: number of threads that began spans
  u64 total_ns = 0, shortest_ns = 0, median_ns = 0, longest_ns = 0;
  u64 samples = 0, sampled = 0;    // samples of the threads within the spans, and the sum of the samples' weights
  u64 unclosed = 0, unopened = 0;  // starts without a stop, stops without a start
};

struct SpanTable {
  std::string file;
  std::string sampled_by;         // the event of the samples; empty if there are none
  bool samples_are_time = false;  // SpanRow::sampled is CPU time in nanoseconds
  std::vector<SpanRow> rows;      // the row with the most time first
};

}  // namespace wperf::stacks
