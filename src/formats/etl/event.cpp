// SPDX-License-Identifier: BSD-3-Clause
#include "formats/etl/event.h"

#include <cstring>

namespace wperf::etl {
namespace {

constexpr u8 kTraceHeader = 0xc0, kMessageHeader = 0x90;
constexpr usize kAlignment = 8;

enum HeaderType : u8 {
  system_32 = 0x01,
  system_64 = 0x02,
  compact_32 = 0x03,
  compact_64 = 0x04,
  classic_32 = 0x0a,
  instance_32 = 0x0b,
  error = 0x0d,
  performance_32 = 0x10,
  performance_64 = 0x11,
  manifest_32 = 0x12,
  manifest_64 = 0x13,
  classic_64 = 0x14,
  instance_64 = 0x15,
};

u8 byte_at(Bytes bytes, usize offset) {
  return std::to_integer<u8>(bytes[offset]);
}

Guid guid_at(Bytes bytes, usize offset) {
  Guid read;
  std::memcpy(read.bytes.data(), bytes.data() + offset, read.bytes.size());
  return read;
}

// The version's upper byte shows which data is between header and payload: a PEBS index, and counters.
bool split_kernel_payload(Bytes record, usize header, Event& event) {
  const auto word = field<u16>(record, 0);
  event.version = static_cast<u8>(word);
  const usize precise = (word & 0x8000) != 0 ? 8 : 0;
  const usize counters = usize{8} * (word >> 8 & 7);
  if (record.size() < header + precise + counters) return false;
  event.counters = record.subspan(header + precise, counters);
  event.payload = record.subspan(header + precise + counters);
  return true;
}

bool parse_system(Bytes record, usize header, Event& event) {
  if (record.size() < header) return false;
  event.form = EventForm::kernel;
  event.opcode = byte_at(record, 6);
  event.group = byte_at(record, 7);
  event.thread = field<u32>(record, 8);
  event.process = field<u32>(record, 12);
  event.time = field<u64>(record, 16);
  return split_kernel_payload(record, header, event);
}

bool parse_performance(Bytes record, Event& event) {
  constexpr usize kHeader = 16;
  if (record.size() < kHeader) return false;
  event.form = EventForm::kernel;
  event.opcode = byte_at(record, 6);
  event.group = byte_at(record, 7);
  event.time = field<u64>(record, 8);
  return split_kernel_payload(record, kHeader, event);
}

bool parse_classic(Bytes record, usize header, Event& event) {
  if (record.size() < header) return false;
  event.form = EventForm::classic;
  event.opcode = byte_at(record, 4);
  event.level = byte_at(record, 5);
  event.version = byte_at(record, 6);
  event.thread = field<u32>(record, 8);
  event.process = field<u32>(record, 12);
  event.time = field<u64>(record, 16);
  event.provider = guid_at(record, 24);
  event.payload = record.subspan(header);
  return true;
}

bool parse_manifest(Bytes record, Event& event) {
  constexpr usize kHeader = 80;
  constexpr u16 kExtended = 1;
  if (record.size() < kHeader) return false;
  event.form = EventForm::manifest;
  event.thread = field<u32>(record, 8);
  event.process = field<u32>(record, 12);
  event.time = field<u64>(record, 16);
  event.provider = guid_at(record, 24);
  event.id = field<u16>(record, 40);
  event.version = byte_at(record, 42);
  event.level = byte_at(record, 44);
  event.opcode = byte_at(record, 45);
  event.task = field<u16>(record, 46);
  event.keyword = field<u64>(record, 48);
  event.activity = guid_at(record, 64);
  Bytes rest = record.subspan(kHeader);
  if ((field<u16>(record, 4) & kExtended) != 0) {
    const Bytes begin = rest;
    ExtendedItem item;
    while (true) {
      const bool more = rest.size() >= 8 && (field<u16>(rest, 4) & 1) != 0;
      if (!take_item(rest, item)) return false;
      if (!more) break;
    }
    event.items = begin.first(begin.size() - rest.size());
  }
  event.payload = rest;
  return true;
}

bool parse_message(Bytes record, Event& event) {
  constexpr usize kHeader = 8;
  enum Option : u16 { sequence = 1, by_guid = 2, component = 4, time = 8, ids = 0x20 };
  if (record.size() < kHeader) return false;
  event.form = EventForm::message;
  event.id = field<u16>(record, 4);
  const auto options = field<u16>(record, 6);
  usize offset = kHeader;
  const auto has = [&](u16 option, usize size) { return (options & option) != 0 && record.size() - offset >= size; };
  if (has(sequence, 4)) offset += 4;
  if (has(by_guid, 16)) {
    event.provider = guid_at(record, offset);
    offset += 16;
  } else if (has(component, 4)) {
    offset += 4;
  }
  if (has(time, 8)) {
    event.time = field<u64>(record, offset);
    offset += 8;
  }
  if (has(ids, 8)) {
    event.thread = field<u32>(record, offset);
    event.process = field<u32>(record, offset + 4);
    offset += 8;
  }
  event.payload = record.subspan(offset);
  return true;
}

bool parse_by_type(Bytes record, Event& event) {
  switch (event.header_type) {
    case system_32:
    case system_64:
      return parse_system(record, 32, event);
    case compact_32:
    case compact_64:
      return parse_system(record, 24, event);
    case performance_32:
    case performance_64:
      return parse_performance(record, event);
    case classic_32:
    case classic_64:
      return parse_classic(record, 48, event);
    case instance_32:
    case instance_64:
      return parse_classic(record, 72, event);
    case manifest_32:
    case manifest_64:
      return parse_manifest(record, event);
    default:
      return true;  // the event is skipped, and counted by its kind
  }
}

bool is_of_32_bits(u8 type) {
  return type == system_32 || type == compact_32 || type == classic_32 || type == instance_32 ||
         type == performance_32 || type == manifest_32;
}

bool has_size_in_front(u8 type) {
  return type == classic_32 || type == classic_64 || type == instance_32 || type == instance_64 || type == error ||
         type == manifest_32 || type == manifest_64;
}

}  // namespace

bool take_item(Bytes& items, ExtendedItem& item) {
  constexpr usize kHeader = 8;
  if (items.size() < kHeader) return false;
  const usize whole = field<u16>(items, 0), data = field<u16>(items, 6);
  if (whole < kHeader || whole > items.size() || data > whole - kHeader) return false;
  item = {.type = field<u16>(items, 2), .data = items.subspan(kHeader, data)};
  items = items.subspan(whole);
  return true;
}

usize parse_event(Bytes bytes, Event& event) {
  if (bytes.size() < kAlignment) return 0;
  const u8 mark = byte_at(bytes, 3);
  const u64 time = event.time;
  const u16 core = event.core;
  event = {};
  event.time = time;
  event.core = core;
  usize size = 0;
  if (mark == kTraceHeader) {
    event.header_type = byte_at(bytes, 2);
    event.pointer_size = is_of_32_bits(event.header_type) ? 4 : 8;
    size = field<u16>(bytes, has_size_in_front(event.header_type) ? 0 : 4);
  } else if (mark == kMessageHeader) {
    size = field<u16>(bytes, 0);
  } else {
    return 0;
  }
  if (size < kAlignment || size > bytes.size()) return 0;
  event.size = static_cast<u16>(size);
  const Bytes record = bytes.first(size);
  if (!(mark == kTraceHeader ? parse_by_type(record, event) : parse_message(record, event))) return 0;
  return std::min((size + kAlignment - 1) / kAlignment * kAlignment, bytes.size());
}

}  // namespace wperf::etl
