// SPDX-License-Identifier: BSD-3-Clause
#include "formats/perf_data/sample.h"

#include <bit>

namespace wperf::perf_data {
namespace {

void read_branches(Reader& reader, u64 branch_sample_type, BranchStack& out) {
  const u64 count = reader.word();
  // A PMU without branches writes only a zero, whatever was requested.
  out.has_hardware_index = (branch_sample_type & kBranchHardwareIndex) != 0 && (count != 0 || reader.left() != 0);
  out.hardware_index = out.has_hardware_index ? reader.word() : 0;
  if (count > reader.left() / (3 * sizeof(u64))) return reader.fail();
  out.words = reader.words(count * 3);
  if ((branch_sample_type & kBranchCounters) != 0) out.counters = reader.words(count);
}

void read_registers(Reader& reader, u64 mask, Registers& out) {
  out = {};
  out.abi = reader.word();
  if (out.abi == 0) return;
  out.mask = mask;
  out.values = reader.words(static_cast<u64>(std::popcount(mask)));
}

void read_raw(Reader& reader, Bytes& out) {
  const u32 size = reader.take<u32>();
  out = reader.bytes(size);
  // The kernel pads the data to align the next field, and counts the padding in the size.
  const u64 padding = (0 - (u64{size} + sizeof size)) & 7;
  reader.skip(std::min<u64>(padding, reader.left()));
}

void read_user_stack(Reader& reader, UserStack& out) {
  out = {};
  const u64 size = reader.word();
  if (size == 0) return;
  out.bytes = reader.bytes(size);
  out.written = reader.word();
  if (out.written > size) reader.fail();
}

void read_place(Reader& reader, const EventAttributes& attributes, Sample& out) {
  if (attributes.has(kSampleIdentifier)) out.id = reader.word();
  if (attributes.has(kSampleIp)) out.ip = reader.word();
  if (attributes.has(kSampleTid)) {
    out.pid = reader.take<u32>();
    out.tid = reader.take<u32>();
  }
  if (attributes.has(kSampleTime)) out.time = reader.word();
  if (attributes.has(kSampleAddress)) out.address = reader.word();
  if (attributes.has(kSampleId)) out.id = reader.word();
  if (attributes.has(kSampleStreamId)) out.stream_id = reader.word();
  if (attributes.has(kSampleCpu)) {
    out.cpu = reader.take<u32>();
    reader.skip(4);
  }
  if (attributes.has(kSamplePeriod)) out.period = reader.word();
}

void read_context(Reader& reader, const EventAttributes& attributes, Sample& out) {
  if (attributes.has(kSampleRead)) read_counter_values(reader, attributes.read_format, out.counters);
  if (attributes.has(kSampleCallchain)) out.callchain = reader.words(reader.word());
  if (!attributes.has(kSampleRaw | kSampleBranchStack | kSampleUserRegisters | kSampleUserStack)) return;
  if (attributes.has(kSampleRaw)) read_raw(reader, out.raw);
  if (attributes.has(kSampleBranchStack)) read_branches(reader, attributes.branch_sample_type, out.branches);
  if (attributes.has(kSampleUserRegisters)) read_registers(reader, attributes.user_registers, out.user_registers);
  if (attributes.has(kSampleUserStack)) read_user_stack(reader, out.user_stack);
}

// In the kernel's order, which is not the order of the bits.
void read_memory_access(Reader& reader, const EventAttributes& attributes, Sample& out) {
  if (attributes.has(kSampleWeight | kSampleWeightParts)) out.weight = reader.word();
  if (attributes.has(kSampleDataSource)) out.data_source = reader.word();
  if (attributes.has(kSampleTransaction)) out.transaction = reader.word();
  if (attributes.has(kSampleInterruptRegisters)) {
    read_registers(reader, attributes.interrupt_registers, out.interrupt_registers);
  }
  if (attributes.has(kSamplePhysicalAddress)) out.physical_address = reader.word();
  if (attributes.has(kSampleCgroup)) out.cgroup = reader.word();
  if (attributes.has(kSampleDataPageSize)) out.data_page_size = reader.word();
  if (attributes.has(kSampleCodePageSize)) out.code_page_size = reader.word();
  if (attributes.has(kSampleAux)) out.aux = reader.bytes(reader.word());
}

}  // namespace

void read_counter_values(Reader& reader, u64 format, CounterValues& out) {
  out.format = format;
  const u64 first = reader.word();  // the number of values of a group, or a single value
  if ((format & kReadEnabled) != 0) out.enabled_ns = reader.word();
  if ((format & kReadRunning) != 0) out.running_ns = reader.word();
  if (!out.is_group()) {
    out.lone_value = first;
    out.words = reader.words(out.stride() - 1);
    out.count = 1;
  } else if (first <= reader.left() / (out.stride() * sizeof(u64))) {
    out.words = reader.words(first * out.stride());
    out.count = static_cast<u32>(first);
  } else {
    reader.fail();
  }
}

// Fills each field that these attributes have, even if the sample contains nothing for it.
bool read_sample(Bytes body, const EventAttributes& attributes, Sample& out, usize* unread) {
  Reader reader(body);
  read_place(reader, attributes, out);
  if (attributes.has(kSampleRead | kSampleCallchain | kSampleRaw | kSampleBranchStack | kSampleUserRegisters |
                     kSampleUserStack)) {
    read_context(reader, attributes, out);
  }
  if (attributes.sample_type >= kSampleWeight) read_memory_access(reader, attributes, out);
  if (unread != nullptr) *unread = reader.left();
  return reader.sound();
}

}  // namespace wperf::perf_data
