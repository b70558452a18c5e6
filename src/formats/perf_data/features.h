// SPDX-License-Identifier: BSD-3-Clause
// The feature sections of a file: facts about the machine and the recording. A section is found by its number and read
// on demand; if it is absent or damaged, the result is empty. Views point into the file.
#pragma once
#include <array>
#include <optional>
#include <string_view>
#include <vector>

#include "base/ints.h"
#include "formats/perf_data/user_records.h"

namespace wperf::perf_data {

// Cores in the kernel's list format ("0-3,7"), which sysfs and sections of recordings use.

// The result is ascending. If the text is not a valid list of a possible machine, returns the cores before the mistake.
std::vector<u32> parse_kernel_list(std::string_view text);

struct CpuCount {
  u32 online = 0, available = 0;
};

struct EventDescription {
  EventAttributes attributes;
  std::string_view name;
  Words ids;
};

struct PmuMapping {
  u32 type = 0;  // the same as EventAttributes::type of its events
  std::string_view name;
};

// A kind of core on a machine with several kinds: its PMU and its cores.
struct CorePmu {
  std::string_view name;
  std::string_view cores;  // "0-3,8"
};

struct GroupDescription {
  std::string_view name;
  u32 leader = 0, members = 0;
};

struct SampleTime {
  u64 first = 0, last = 0;
};

struct ClockData {
  u32 clock_id = 0;
  u64 wall_clock_ns = 0, clock_ns = 0;  // the same point in time, in nanoseconds since 1970 and on the samples' clock
};

struct Compression {
  u32 version = 0, type = 0, level = 0, ratio = 0, buffer_size = 0;
};

struct AuxTraceIndexEntry {
  u64 file_offset = 0, size = 0;
};

class Features {
 public:
  void set(u32 feature, Bytes bytes);
  bool has(Feature feature) const { return bytes(feature).data() != nullptr; }
  Bytes bytes(Feature feature) const { return sections_[static_cast<u32>(feature)]; }
  Bytes section(u32 number) const { return number < kFeatureBits ? sections_[number] : Bytes(); }
  // Numbers of the existing sections.
  std::vector<u32> present() const;

  // These features are single texts: host_name, os_release, perf_version, architecture, cpu_description, cpu_id.
  std::string_view text(Feature feature) const;
  std::optional<CpuCount> cpu_count() const;
  std::optional<u64> total_memory() const;  // bytes
  std::optional<SampleTime> sample_time() const;
  std::optional<ClockData> clock_data() const;
  std::optional<Compression> compression() const;
  std::vector<std::string_view> command_line() const;
  std::vector<EventDescription> event_descriptions() const;
  std::vector<BuildId> build_ids() const;
  std::vector<PmuMapping> pmu_mappings() const;
  std::vector<CorePmu> core_pmus() const;  // hybrid_topology
  std::vector<GroupDescription> group_descriptions() const;
  std::vector<AuxTraceIndexEntry> auxtrace_index() const;

 private:
  std::array<Bytes, kFeatureBits> sections_{};
};

}  // namespace wperf::perf_data
