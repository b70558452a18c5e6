// SPDX-License-Identifier: BSD-3-Clause
#include "formats/perf_data/event_attributes.h"

#include "formats/perf_data/byte_writing.h"

namespace wperf::perf_data {

bool read_event_attributes(Bytes bytes, EventAttributes& out) {
  out = {};
  Reader head(slice(bytes, 0, 8));
  out.type = head.take<u32>();
  out.size = head.take<u32>();
  if (out.size == 0) out.size = kSmallestAttributes;  // the kernel's first version
  if (out.size < kSmallestAttributes || bytes.size() < kSmallestAttributes) return false;

  Reader reader(slice(bytes, 8, out.size - 8));
  out.config = reader.word();
  out.period_or_frequency = reader.word();
  out.sample_type = reader.word();
  out.read_format = reader.word();
  out.flags = reader.word();
  reader.skip(8);  // when to wake a reader; breakpoints
  out.config1 = reader.word();
  // Each later version of the struct ends after one of these fields; beyond its end the reader returns zeros.
  out.config2 = reader.word();
  out.branch_sample_type = reader.word();
  out.user_registers = reader.word();
  out.user_stack_size = reader.take<u32>();
  out.clock_id = reader.take<u32>();
  out.interrupt_registers = reader.word();
  reader.skip(4);  // when to wake a reader of the AUX area
  out.max_stack = reader.take<u16>();
  reader.skip(10);  // the size of AUX samples
  out.signal_data = reader.word();
  out.config3 = reader.word();
  return true;
}

namespace {

constexpr u32 kSize = 96;
constexpr usize kPlaceOfUserRegisters = 80;
// The bit field after read_format.
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
