// SPDX-License-Identifier: BSD-3-Clause
// One record of a trace buffer, with any kind of header. Copies nothing; all views are into the buffer.
#pragma once
#include <array>
#include <cstring>

#include "base/ints.h"
#include "ground/bytes/bytes.h"

namespace wperf::etl {

using Bytes = bytes::Span;

struct Guid {
  std::array<std::byte, 16> bytes{};
  bool operator==(const Guid&) const = default;
};

// A GUID as it is usually written: 9b79ee91-b5fd-41c0-a243-4248e266e9d0 is guid(0x9b79ee91, 0xb5fd, 0x41c0, {0xa2, …}).
constexpr Guid guid(u32 first, u16 second, u16 third, std::array<u8, 8> rest) {
  Guid made;
  for (usize i = 0; i < 4; ++i) made.bytes[i] = static_cast<std::byte>(first >> (8 * i));
  for (usize i = 0; i < 2; ++i) made.bytes[4 + i] = static_cast<std::byte>(second >> (8 * i));
  for (usize i = 0; i < 2; ++i) made.bytes[6 + i] = static_cast<std::byte>(third >> (8 * i));
  for (usize i = 0; i < 8; ++i) made.bytes[8 + i] = static_cast<std::byte>(rest[i]);
  return made;
}

// A number in a header. The header must be complete.
template <class T>
T field(Bytes bytes, u64 offset) {
  T value;
  std::memcpy(&value, bytes.data() + offset, sizeof value);
  return value;
}

enum class EventForm : u8 {
  kernel,    // group and opcode: an event of the kernel itself
  classic,   // GUID and opcode
  manifest,  // GUID and id: described by a manifest, or by the event itself (TraceLogging)
  message,   // WPP
  other,
};

struct Event {
  static constexpr u32 kNobody = ~u32{0};

  EventForm form = EventForm::other;
  u8 header_type = 0;
  u8 pointer_size = 8;  // pointer size in the payload; it may differ from record to record
  u8 group = 0, opcode = 0, version = 0;
  u8 level = 0;
  u16 id = 0;
  u16 core = 0;
  u16 size = 0;                             // size of the whole record
  u32 process = kNobody, thread = kNobody;  // from the header; many kernel events have neither
  u64 time = 0;                             // ticks of the trace's clock
  u16 task = 0;
  u64 keyword = 0;
  Guid provider = {};
  Guid activity = {};   // for a manifest event; may be zero
  Bytes counters = {};  // counter values of 8 bytes that were attached to the event
  Bytes items = {};     // extended data items of a manifest event
  Bytes payload = {};
};

// Reads the record at the beginning of `bytes`, which extend to the end of the buffer's records. Returns its size in
// the buffer, including padding; 0 if there is no record or it is malformed. `time` is unchanged if the record has no
// time.
usize parse_event(Bytes bytes, Event& event);

// Reads the next item of extended data; returns false if there is none.
struct ExtendedItem {
  u16 type = 0;
  Bytes data;
};
bool take_item(Bytes& items, ExtendedItem& item);

}  // namespace wperf::etl
