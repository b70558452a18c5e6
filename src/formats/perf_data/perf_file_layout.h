// SPDX-License-Identifier: BSD-3-Clause
// The beginning and the end of a perf.data file, as perf writes them; the records in between are the kernel's (or
// record_bytes.h). Pure: makes bytes.
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
  std::string attributes;     // the bytes of a perf_event_attr, as long as its `size` says
  std::vector<u64> ids = {};  // values of PERF_SAMPLE_ID and _IDENTIFIER; may be empty with a single event
  u64 kept_registers = 0;     // for samples that are unwound while recording: the user registers that the file keeps
};

struct WrittenBuildId {
  std::string id = {};  // bytes
  std::string path = {};
  u32 pid = ~u32{0};
  bool kernel = false;
};

// The contents of the feature sections. A section whose text is empty or whose number is zero is left out.
struct RecordingFacts {
  std::string host_name, os_release, version, architecture, cpu_description, cpu_id;
  u32 cores_online = 0, cores_available = 0;
  u64 memory_bytes = 0;
  std::vector<std::string> command_line;
  std::vector<WrittenBuildId> build_ids;
  std::vector<std::pair<u32, std::string>> units;               // type and name of each PMU
  std::vector<std::pair<std::string, std::string>> core_units;  // name and cores ("0-3") of each PMU of cores
  u64 first_sample_ns = 0, last_sample_ns = 0;
  std::string auxtrace_index;  // bytes of that section, if there are AUX traces
  std::string tracing_data;    // for tracepoints: see tracing_data_bytes()
  std::string run;             // bytes of perf_data::RunFacts
  std::string made_code;       // bytes of perf_data::kMadeCodeFeature
  std::string record_stacks;   // bytes of perf_data::kRecordStacksFeature
  std::string pdb_names;       // bytes of perf_data::kPdbNamesFeature
};

struct FileEnding {
  std::string header;  // replaces the file's first bytes
  std::string tail;    // after the last record
};

std::string file_beginning(std::span<const WrittenEvent> events);
// `record_bytes` must not be 0: readers take 0 for an unfinished file.
FileEnding file_ending(std::span<const WrittenEvent> events, u64 record_bytes, const RecordingFacts& facts);
// The ending of a file whose header is known, as bytes: the facts after its last record, at `records_end`, and the bits
// that say which facts there are.
struct FactsEnding {
  std::string feature_bits;  // for kFeatureBitsOffset of the header
  std::string tail;
};
inline constexpr usize kFeatureBitsOffset = 72;
FactsEnding facts_ending(u64 records_end, const RecordingFacts& facts);
// The header of a file that had no room for the tail.
std::string header_without_tail(std::span<const WrittenEvent> events, u64 record_bytes);

// Between the rings of a recording and its file, if records are not written as the kernel wrote them. The Linux device
// gives it the records from the rings, round by round, and writes its output. Implemented by
// analysis/recording/live_unwinding, which the device must not know.
class RecordFilter {
 public:
  virtual ~RecordFilter() = default;
  // Called first, with the events in the kernel's form.
  virtual void begin(std::span<const WrittenEvent> events) = 0;
  // Whole records, in one piece or in two that follow each other.
  virtual void take(std::span<const std::byte> first, std::span<const std::byte> second) = 0;
  // No record older than `before_ns` will come any more: appends the records that are older, in the order of their
  // times.
  virtual void settle(u64 before_ns, std::string& out) = 0;
  // The rings are nearly full: slow work is left out for now.
  virtual void set_hurried(bool is_hurried) = 0;
  // The stacks that could not be kept.
  virtual perf_data::StackFacts stacks() const = 0;
  // If true, each sample is also shown at once: see() is called before take(), by one thread for each ring.
  virtual bool wants_to_see() const { return false; }
  // `beginning`: at least kSampleOwnerBytes of a sample. Its thread stands still during this call if the sample is not
  // older than `still_ns`. Returns true if there is work for take().
  virtual bool see(std::span<const std::byte> /*beginning*/, u64 /*still_ns*/) { return false; }
  // Code that the call chains name and no file has: bytes of kMadeCodeFeature.
  virtual std::string made_code() const { return {}; }
  virtual stacks::PythonSamples python() const { return {}; }
};

}  // namespace wperf::perf_data
