// SPDX-License-Identifier: BSD-3-Clause
// The numbers of the perf.data format: record types, sample fields, feature sections. The kernel's part is described in
// perf_event_open(2), perf's own in perf.data-file-format.txt of the Linux sources.
#pragma once
#include <string_view>

#include "base/ints.h"
#include "ground/bytes/bytes.h"

namespace wperf::perf_data {

using Bytes = bytes::Span;
using bytes::Reader;
using bytes::slice;
using bytes::text_in;
using bytes::Words;

enum class RecordType : u32 {
  // written by the kernel
  mmap = 1,
  lost = 2,
  comm = 3,
  exit = 4,
  throttle = 5,
  unthrottle = 6,
  fork = 7,
  read = 8,
  sample = 9,
  mmap2 = 10,
  aux = 11,
  itrace_start = 12,
  lost_samples = 13,
  context_switch = 14,
  switch_cpu_wide = 15,
  namespaces = 16,
  ksymbol = 17,
  bpf_event = 18,
  cgroup = 19,
  text_poke = 20,
  aux_output_hw_id = 21,
  callchain_deferred = 22,
  // written by perf
  header_attr = 64,
  header_event_type = 65,
  header_tracing_data = 66,
  header_build_id = 67,
  finished_round = 68,
  id_index = 69,
  auxtrace_info = 70,
  auxtrace = 71,
  auxtrace_error = 72,
  thread_map = 73,
  cpu_map = 74,
  stat_config = 75,
  stat = 76,
  stat_round = 77,
  event_update = 78,
  time_conv = 79,
  header_feature = 80,
  compressed = 81,
  finished_init = 82,
  compressed2 = 83,
};
inline constexpr u32 kKernelTypes = 22, kFirstUserType = 64;
inline constexpr u32 kRecordTypes = 84;  // greater than all types above

// perf's name without PERF_RECORD_; empty for unknown types.
std::string_view record_name(u32 type);

// Bits of Record::misc; some have different meanings in different records.
inline constexpr u16 kMiscCpuMode = 7;  // 3 hypervisor, 4 and 5 guest; the others are below
inline constexpr u16 kKernelMode = 1, kUserMode = 2;
inline constexpr u16 kMiscMmapData = 1u << 13, kMiscCommExec = 1u << 13, kMiscSwitchOut = 1u << 13;
inline constexpr u16 kMiscSwitchPreempted = 1u << 14, kMiscMmapBuildId = 1u << 14, kMiscExactIp = 1u << 14;
inline constexpr u16 kMiscBuildIdSize = 1u << 15, kMiscLostToFilter = 1u << 15;

// Bits of sample_type: the fields of a sample.
enum SampleField : u64 {
  kSampleIp = 1u << 0,
  kSampleTid = 1u << 1,
  kSampleTime = 1u << 2,
  kSampleAddress = 1u << 3,
  kSampleRead = 1u << 4,
  kSampleCallchain = 1u << 5,
  kSampleId = 1u << 6,
  kSampleCpu = 1u << 7,
  kSamplePeriod = 1u << 8,
  kSampleStreamId = 1u << 9,
  kSampleRaw = 1u << 10,
  kSampleBranchStack = 1u << 11,
  kSampleUserRegisters = 1u << 12,
  kSampleUserStack = 1u << 13,
  kSampleWeight = 1u << 14,
  kSampleDataSource = 1u << 15,
  kSampleIdentifier = 1u << 16,
  kSampleTransaction = 1u << 17,
  kSampleInterruptRegisters = 1u << 18,
  kSamplePhysicalAddress = 1u << 19,
  kSampleAux = 1u << 20,
  kSampleCgroup = 1u << 21,
  kSampleDataPageSize = 1u << 22,
  kSampleCodePageSize = 1u << 23,
  kSampleWeightParts = 1u << 24,
};
// The sample fields that the trailers of other records repeat.
inline constexpr u64 kIdentityFields =
    kSampleTid | kSampleTime | kSampleId | kSampleStreamId | kSampleCpu | kSampleIdentifier;

// Bits of read_format.
inline constexpr u64 kReadEnabled = 1, kReadRunning = 2, kReadId = 4, kReadGroup = 8, kReadLost = 16;

// Bit of branch_sample_type: the branches are the calls that have not returned yet. This bit changes the layout.
inline constexpr u64 kBranchCallStack = 1u << 11;
inline constexpr u64 kBranchHardwareIndex = 1u << 17, kBranchCounters = 1u << 19;

// Values in a callchain that are not addresses but describe the addresses after them.
inline constexpr u64 kCallchainMarks = ~u64{0} - 4094;  // this value and all above
inline constexpr u64 kCallchainKernel = ~u64{0} - 127, kCallchainUser = ~u64{0} - 511;
inline constexpr u64 kCallchainDeferred = ~u64{0} - 639;  // followed by the cookie of the record with the missing part

// Bits of an AUX record's flags.
inline constexpr u64 kAuxTruncated = 1, kAuxOverwrite = 2, kAuxPartial = 4, kAuxCollision = 8;

// Types of AUXTRACE_INFO.
inline constexpr u32 kAuxArmSpe = 4;

enum class Feature : u32 {
  tracing_data = 1,
  build_ids = 2,
  host_name = 3,
  os_release = 4,
  perf_version = 5,
  architecture = 6,
  cpu_count = 7,
  cpu_description = 8,
  cpu_id = 9,  // on Arm, MIDR in hexadecimal
  total_memory = 10,
  command_line = 11,
  event_descriptions = 12,
  cpu_topology = 13,
  numa_topology = 14,
  branch_stack = 15,
  pmu_mappings = 16,
  group_descriptions = 17,
  auxtrace_index = 18,
  stat = 19,
  cache = 20,
  sample_time = 21,
  memory_topology = 22,
  clock_id = 23,
  directory_format = 24,
  bpf_program_info = 25,
  bpf_btf = 26,
  compressed = 27,
  cpu_pmu_capabilities = 28,
  clock_data = 29,
  hybrid_topology = 30,
  pmu_capabilities = 31,
};
inline constexpr u32 kFeatureBits = 256;

}  // namespace wperf::perf_data
