// SPDX-License-Identifier: BSD-3-Clause
#include "formats/perf_data/user_records.h"

namespace wperf::perf_data {

bool read(const Record& record, NewEvent& out) {
  if (!read_event_attributes(record.body, out.attributes) || out.attributes.size > record.body.size()) return false;
  out.ids = Words(slice(record.body, out.attributes.size, record.body.size()));
  return true;
}

bool read(const Record& record, EventTypeName& out) {
  Reader reader(record.body);
  out.event_id = reader.word();
  out.name = text_in(reader.rest());
  return reader.sound();
}

bool read(const Record& record, TracingData& out) {
  Reader reader(record.body);
  const u32 size = reader.take<u32>();
  out.data = record.payload;
  return reader.sound() && out.data.size() == size;
}

bool read(const Record& record, BuildId& out) {
  constexpr usize kRoom = 20;
  Reader reader(record.body);
  out.misc = record.misc;
  out.pid = reader.take<u32>();
  const Bytes id = reader.bytes(kRoom);
  const u8 size = reader.take<u8>();
  reader.skip(3);
  out.file = text_in(reader.rest());
  const bool sized = (record.misc & kMiscBuildIdSize) != 0;
  if (sized && size > kRoom) return false;
  out.id = slice(id, 0, sized ? size : kRoom);
  return reader.sound();
}

bool read(const Record& record, IdIndex& out) {
  Reader reader(record.body);
  const u64 count = reader.word();
  if (count > reader.left() / (4 * sizeof(u64))) return false;
  out.words = reader.words(count * 4);
  if (reader.left() / (2 * sizeof(u64)) >= count) out.machines = reader.words(count * 2);
  return reader.sound();
}

bool read(const Record& record, AuxTraceInfo& out) {
  Reader reader(record.body);
  out.type = reader.take<u32>();
  reader.skip(4);
  out.parameters = Words(reader.rest());
  return reader.sound();
}

bool read(const Record& record, AuxTrace& out) {
  Reader reader(record.body);
  out.size = reader.word();
  out.offset = reader.word();
  out.reference = reader.word();
  out.index = reader.take<u32>();
  out.tid = reader.take<u32>();
  out.cpu = reader.take<u32>();
  out.data = record.payload;
  return reader.sound() && out.size <= ~out.offset;  // checked, so that offset + size cannot overflow later
}

bool read(const Record& record, AuxTraceError& out) {
  Reader reader(record.body);
  out.type = reader.take<u32>();
  out.code = reader.take<u32>();
  out.cpu = reader.take<u32>();
  out.pid = reader.take<u32>();
  out.tid = reader.take<u32>();
  const u32 format = reader.take<u32>();
  out.ip = reader.word();
  if (format >= 1) out.time = reader.word();
  constexpr usize kMessageRoom = 64;
  if (!reader.sound()) return false;
  out.message = text_in(reader.bytes(std::min(reader.left(), kMessageRoom)));
  return true;
}

bool read(const Record& record, ThreadMap& out) {
  constexpr usize kEntrySize = 24;
  Reader reader(record.body);
  const u64 count = reader.word();
  if (count > reader.left() / kEntrySize) return false;
  out.entries = reader.bytes(count * kEntrySize);
  return reader.sound();
}

bool read_cpu_map(Bytes bytes, CpuMap& out) {
  Reader reader(bytes);
  out.kind = static_cast<CpuMap::Kind>(reader.take<u16>());
  if (out.kind == CpuMap::Kind::list) {
    out.unit = 2;
    const u16 count = reader.take<u16>();
    out.numbers = reader.bytes(u64{count} * out.unit);
  } else if (out.kind == CpuMap::Kind::mask) {
    const u16 count = reader.take<u16>();
    out.unit = reader.take<u16>();
    if (out.unit != 4 && out.unit != 8) return false;
    if (out.unit == 8) reader.skip(4);  // older versions aligned the 64-bit words
    out.numbers = reader.bytes(u64{count} * out.unit);
  } else if (out.kind == CpuMap::Kind::range) {
    out.unit = 2;
    out.any = reader.take<u8>() != 0;
    reader.skip(1);
    out.numbers = reader.bytes(4);
  } else {
    return false;
  }
  return reader.sound();
}

bool read(const Record& record, CpuMap& out) {
  return read_cpu_map(record.body, out);
}

bool read(const Record& record, StatConfig& out) {
  Reader reader(record.body);
  const u64 count = reader.word();
  if (count > reader.left() / (2 * sizeof(u64))) return false;
  out.words = reader.words(count * 2);
  return reader.sound();
}

bool read(const Record& record, Stat& out) {
  Reader reader(record.body);
  out.id = reader.word();
  out.cpu = reader.take<u32>();
  out.thread = reader.take<u32>();
  out.value = reader.word();
  out.enabled_ns = reader.word();
  out.running_ns = reader.word();
  return reader.sound();
}

bool read(const Record& record, StatRound& out) {
  Reader reader(record.body);
  out.type = reader.word();
  out.time = reader.word();
  return reader.sound();
}

bool read(const Record& record, EventUpdate& out) {
  Reader reader(record.body);
  out.kind = static_cast<EventUpdate::Kind>(reader.word());
  out.id = reader.word();
  out.data = reader.rest();
  return reader.sound();
}

bool read(const Record& record, TimeConv& out) {
  Reader reader(record.body);
  out.shift = reader.word();
  out.multiplier = reader.word();
  out.zero = reader.word();
  if (!reader.sound()) return false;
  if (reader.left() == 0) {  // perf before 5.11 wrote the fields below only if they are valid
    out.has_zero = true;
    return true;
  }
  out.cycles = reader.word();
  out.mask = reader.word();
  out.has_zero = reader.take<u8>() != 0;
  out.is_short = reader.take<u8>() != 0;
  return reader.sound();
}

bool read(const Record& record, FeatureRecord& out) {
  Reader reader(record.body);
  out.feature = reader.word();
  out.data = reader.rest();
  return reader.sound();
}

bool read(const Record& record, Compressed& out) {
  Reader reader(record.body);
  if (record.kind() == RecordType::compressed2) {
    out.data = reader.bytes(reader.word());
  } else {
    out.data = reader.rest();
  }
  return reader.sound();
}

}  // namespace wperf::perf_data
