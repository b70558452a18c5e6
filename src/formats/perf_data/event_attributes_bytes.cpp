// SPDX-License-Identifier: BSD-3-Clause
#include "formats/perf_data/event_attributes_bytes.h"

#include "formats/perf_data/byte_writing.h"

namespace wperf::perf_data {
namespace {

constexpr u32 kSize = 96;
constexpr usize kPlaceOfUserRegisters = 80;
// The bits that follow read_format.
constexpr u64 kExcludeKernel = u64{1} << 5, kExcludeHypervisor = u64{1} << 6, kMmap = u64{1} << 8, kComm = u64{1} << 9,
              kTask = u64{1} << 13, kSampleIdAll = u64{1} << 18, kMmap2 = u64{1} << 23, kCommExec = u64{1} << 24;

}  // namespace

std::string attribute_bytes(const WrittenAttributes& attributes) {
  u64 flags = kExcludeHypervisor | kMmap | kComm | kTask | kSampleIdAll | kMmap2 | kCommExec;
  if (!attributes.kernel) flags |= kExcludeKernel;
  std::string bytes;
  put(bytes, attributes.type);
  put(bytes, kSize);
  constexpr u64 kReadFormat = 0;
  for (const u64 word : {attributes.config, attributes.period, attributes.sample_type, kReadFormat, flags}) {
    put(bytes, word);
  }
  bytes.resize(kPlaceOfUserRegisters, '\0');
  put(bytes, attributes.user_registers);
  bytes.resize(kSize, '\0');
  return bytes;
}

}  // namespace wperf::perf_data
