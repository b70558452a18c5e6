// SPDX-License-Identifier: BSD-3-Clause
#include "formats/perf_data/kernel_records.h"

namespace wperf::perf_data {
namespace {

// The fields of the record before its trailer. The reader fails if the trailer does not fit.
Reader fields_of(const Record& record, const EventTable& events, KernelRecord& out) {
  Bytes fields;
  const bool sound = events.split_trailer(record, fields, out.identity);
  Reader reader(fields);
  if (!sound) reader.fail();
  return reader;
}

template <class Out>
void read_thread(Reader& reader, Out& out) {
  out.pid = reader.take<u32>();
  out.tid = reader.take<u32>();
}

// While any process records with build ids, kernels set this bit for all recordings, although in other recordings the
// field is still the device. A device number is usually too large to be the size of a build id.
void read_file_identity(Reader& reader, bool by_build_id, Mmap& out) {
  constexpr usize kBuildIdRoom = 20;
  Reader block(reader.bytes(24));
  Reader id = block;
  const u8 size = id.take<u8>();
  id.skip(3);
  if (by_build_id && size != 0 && size <= kBuildIdRoom) {
    out.build_id = id.bytes(size);
  } else {
    out.device_major = block.take<u32>();
    out.device_minor = block.take<u32>();
    out.inode = block.word();
    out.inode_generation = block.word();
  }
  out.protection = reader.take<u32>();
  out.flags = reader.take<u32>();
}

}  // namespace

bool read(const Record& record, const EventTable& events, Mmap& out) {
  Reader reader = fields_of(record, events, out);
  read_thread(reader, out);
  out.address = reader.word();
  out.length = reader.word();
  out.page_offset = reader.word();
  out.is_data = (record.misc & kMiscMmapData) != 0;
  out.is_mmap2 = record.kind() == RecordType::mmap2;
  if (out.is_mmap2) read_file_identity(reader, (record.misc & kMiscMmapBuildId) != 0, out);
  out.file = text_in(reader.rest());
  return reader.sound();
}

bool read(const Record& record, const EventTable& events, Comm& out) {
  Reader reader = fields_of(record, events, out);
  read_thread(reader, out);
  out.name = text_in(reader.rest());
  out.by_exec = (record.misc & kMiscCommExec) != 0;
  return reader.sound();
}

bool read(const Record& record, const EventTable& events, Task& out) {
  Reader reader = fields_of(record, events, out);
  out.is_exit = record.kind() == RecordType::exit;
  out.pid = reader.take<u32>();
  out.parent_pid = reader.take<u32>();
  out.tid = reader.take<u32>();
  out.parent_tid = reader.take<u32>();
  out.time = reader.word();
  return reader.sound();
}

bool read(const Record& record, const EventTable& events, Lost& out) {
  Reader reader = fields_of(record, events, out);
  out.id = reader.word();
  out.records = reader.word();
  return reader.sound();
}

bool read(const Record& record, const EventTable& events, LostSamples& out) {
  Reader reader = fields_of(record, events, out);
  out.samples = reader.word();
  out.by_filter = (record.misc & kMiscLostToFilter) != 0;
  return reader.sound();
}

bool read(const Record& record, const EventTable& events, Throttle& out) {
  Reader reader = fields_of(record, events, out);
  out.is_end = record.kind() == RecordType::unthrottle;
  out.time = reader.word();
  out.id = reader.word();
  out.stream_id = reader.word();
  return reader.sound();
}

// The layout of the values depends on the event, but the event's id is itself among the values. So if layouts differ,
// only the trailer shows which event it is.
bool read(const Record& record, const EventTable& events, CounterRead& out) {
  Reader reader = fields_of(record, events, out);
  read_thread(reader, out);
  if (events.all().empty()) return false;
  u32 event = events.index_of(out.identity.id);
  if (event == kNoEvent) event = 0;
  read_counter_values(reader, events.all()[event].attributes.read_format, out.values);
  return reader.sound();
}

bool read(const Record& record, const EventTable& events, Aux& out) {
  Reader reader = fields_of(record, events, out);
  out.offset = reader.word();
  out.size = reader.word();
  out.flags = reader.word();
  return reader.sound();
}

bool read(const Record& record, const EventTable& events, ItraceStart& out) {
  Reader reader = fields_of(record, events, out);
  read_thread(reader, out);
  return reader.sound();
}

bool read(const Record& record, const EventTable& events, Switch& out) {
  Reader reader = fields_of(record, events, out);
  out.is_out = (record.misc & kMiscSwitchOut) != 0;
  out.is_preempted = out.is_out && (record.misc & kMiscSwitchPreempted) != 0;
  out.is_cpu_wide = record.kind() == RecordType::switch_cpu_wide;
  if (out.is_cpu_wide) {
    out.next_prev_pid = reader.take<u32>();
    out.next_prev_tid = reader.take<u32>();
  }
  return reader.sound();
}

bool read(const Record& record, const EventTable& events, Namespaces& out) {
  Reader reader = fields_of(record, events, out);
  read_thread(reader, out);
  const u64 count = reader.word();
  if (count > reader.left() / (2 * sizeof(u64))) return false;
  out.links = reader.words(count * 2);
  return reader.sound();
}

bool read(const Record& record, const EventTable& events, KernelSymbol& out) {
  Reader reader = fields_of(record, events, out);
  out.address = reader.word();
  out.length = reader.take<u32>();
  out.type = reader.take<u16>();
  out.flags = reader.take<u16>();
  out.name = text_in(reader.rest());
  return reader.sound();
}

bool read(const Record& record, const EventTable& events, BpfEvent& out) {
  Reader reader = fields_of(record, events, out);
  out.type = reader.take<u16>();
  out.flags = reader.take<u16>();
  out.id = reader.take<u32>();
  out.tag = reader.word();
  return reader.sound();
}

bool read(const Record& record, const EventTable& events, Cgroup& out) {
  Reader reader = fields_of(record, events, out);
  out.id = reader.word();
  out.path = text_in(reader.rest());
  return reader.sound();
}

bool read(const Record& record, const EventTable& events, TextPoke& out) {
  Reader reader = fields_of(record, events, out);
  out.address = reader.word();
  const u16 old_size = reader.take<u16>();
  const u16 new_size = reader.take<u16>();
  out.old_code = reader.bytes(old_size);
  out.new_code = reader.bytes(new_size);
  return reader.sound();
}

bool read(const Record& record, const EventTable& events, AuxOutputHardwareId& out) {
  Reader reader = fields_of(record, events, out);
  out.hardware_id = reader.word();
  return reader.sound();
}

bool read(const Record& record, const EventTable& events, DeferredCallchain& out) {
  Reader reader = fields_of(record, events, out);
  out.cookie = reader.word();
  out.callchain = reader.words(reader.word());
  return reader.sound();
}

}  // namespace wperf::perf_data
