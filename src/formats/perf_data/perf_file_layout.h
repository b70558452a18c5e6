// SPDX-License-Identifier: BSD-3-Clause
// The beginning and the end of a perf.data file, as perf writes them. The records in between come from the kernel or
// from record_bytes.h. Pure: returns bytes.
//
//     std::string begin = file_beginning(events);        // valid at once: a file that is cut here or later can be read
//     … records …
//     FileEnding end = file_ending(events, record_bytes, facts);   // `tail` behind the records, `header` at offset 0
#pragma once
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/ints.h"
#include "formats/perf_data/run_facts.h"

namespace wperf::perf_data {

struct WrittenEvent {
  std::string name;           // as the user wrote it
  std::string attributes;     // the bytes of a perf_event_attr, as many as its `size`
  std::vector<u64> ids = {};  // values of PERF_SAMPLE_ID and _IDENTIFIER; may be empty if there is only one event
  u64 kept_registers = 0;     // if samples are unwound while recording: the user registers that the file keeps
};

struct WrittenBuildId {
  std::string id = {};  // bytes
  std::string path = {};
  u32 pid = ~u32{0};
  bool kernel = false;
};

// The contents of the feature sections. A section is left out if its text is empty or its number is zero.
struct RecordingFacts {
  std::string host_name, os_release, version, architecture, cpu_description, cpu_id;
  u32 cores_online = 0, cores_available = 0;
  u64 memory_bytes = 0;
  std::vector<std::string> command_line;
  std::vector<WrittenBuildId> build_ids;
  std::vector<std::pair<u32, std::string>> units;               // type and name of each PMU
  std::vector<std::pair<std::string, std::string>> core_units;  // name and cores ("0-3") of each core PMU
  u64 first_sample_ns = 0, last_sample_ns = 0;
  // One point in time, in nanoseconds since 1970 and on the samples' clock.
  u64 moment_unix_ns = 0, moment_ns = 0;
  std::string auxtrace_index;  // the bytes of the section auxtrace_index, if there are AUX traces
  std::string tracing_data;    // for tracepoints: the bytes of the section tracing_data
  std::string run;             // bytes of perf_data::RunFacts
  std::string jit_code;        // bytes of perf_data::kJitCodeFeature
  std::string record_stacks;   // bytes of perf_data::kRecordStacksFeature
  std::string pdb_names;       // bytes of perf_data::kPdbNamesFeature
};

struct FileEnding {
  std::string header;  // replaces the first bytes of the file
  std::string tail;    // follows the last record
};

std::string file_beginning(std::span<const WrittenEvent> events);
// `record_bytes` must not be 0, because 0 marks an unfinished file.
FileEnding file_ending(std::span<const WrittenEvent> events, u64 record_bytes, const RecordingFacts& facts);
// The ending of a file whose header is already known: the facts after its last record, at `records_end`, and the bits
// that show which facts exist.
struct FactsEnding {
  std::string feature_bits;  // to be written at kFeatureBitsOffset of the header
  std::string tail;
};
inline constexpr usize kFeatureBitsOffset = 72;
FactsEnding facts_ending(u64 records_end, const RecordingFacts& facts);
// The header of a file that had no room for the tail.
std::string header_without_tail(std::span<const WrittenEvent> events, u64 record_bytes);

// Used between the kernel's rings and the file if records are not written unchanged. The Linux device passes it the
// records from the rings, round by round, and writes its output. analysis/recording/live_unwinding implements it,
// because the device may not include that room.
class RecordFilter {
 public:
  virtual ~RecordFilter() = default;
  // Called first, with the events as the kernel has them.
  virtual void begin(std::span<const WrittenEvent> events) = 0;
  // Takes whole records, in one piece or in two consecutive pieces.
  virtual void take(std::span<const std::byte> first, std::span<const std::byte> second) = 0;
  // Promises that no further record will be older than `before_ns`. Appends the older records in order of time.
  virtual void settle(u64 before_ns, std::string& out) = 0;
  // If true, the rings are nearly full, so slow work is skipped for now.
  virtual void set_hurried(bool is_hurried) = 0;
  // Statistics of the stacks that could not be kept.
  virtual perf_data::StackFacts stacks() const = 0;
  // If true, each sample is also passed to see() before take(), by one thread for each ring.
  virtual bool wants_to_see() const { return false; }
  // `beginning`: at least kSampleOwnerBytes of a sample. Its thread is stopped during this call if the sample is not
  // older than `still_ns`. Returns true if there is work for take().
  virtual bool see(std::span<const std::byte> /*beginning*/, u64 /*still_ns*/) { return false; }
  // Generated code in call chains that no file contains, as the bytes of kJitCodeFeature.
  virtual std::string jit_code() const { return {}; }
  virtual stacks::PythonSamples python() const { return {}; }
};

}  // namespace wperf::perf_data
