// SPDX-License-Identifier: BSD-3-Clause
#include "formats/spe/record_reader.h"

#include <bit>

#include "formats/spe/layouts.h"
#include "formats/spe/packets.h"

namespace wperf::spe {

namespace {

constexpr u32 kFields = (u32{1} << kFieldCount) - 1;
constexpr usize kLongestShape = 9;  // bytes of the longest packet in the table

void take_field(DecodeState& state, Field field, u64 payload) {
  const u32 bit = u32{1} << static_cast<u32>(field);
  state.repeated |= state.record.present & bit;
  state.record.set(field, payload);
}

// Finds the field for a packet; returns false if there is none.
bool find_field(const Packet& packet, Field& field) {
  u32 first = 0;
  u32 count = 1;
  u32 index = packet.index;
  switch (packet.kind) {
    case PacketKind::address:
      first = static_cast<u32>(Field::pc), count = 5;
      break;
    case PacketKind::counter:
      first = static_cast<u32>(Field::total_latency), count = 3;
      break;
    case PacketKind::context:
      first = static_cast<u32>(Field::context_el1), count = 2, --index;
      break;
    case PacketKind::events:
      first = static_cast<u32>(Field::events);
      break;
    case PacketKind::data_source:
      first = static_cast<u32>(Field::data_source);
      break;
    case PacketKind::timestamp:
      first = static_cast<u32>(Field::timestamp);
      break;
    default:
      return false;
  }
  field = static_cast<Field>(first + index);
  return index < count;
}

void take_packet(const Packet& packet, DecodeState& state) {
  Field field{};
  if (packet.kind == PacketKind::padding || packet.kind == PacketKind::end || packet.kind == PacketKind::alignment)
    return;
  if (packet.kind == PacketKind::operation && packet.index <= kClassBranch) {
    take_field(state, Field::operation, u64{packet.index} << 8 | packet.payload);
  } else if (find_field(packet, field)) {
    take_field(state, field, packet.payload);
  } else {
    ++state.passed_packets;
  }
}

// Reads one packet with every check: for packets that the table does not have, and for the last bytes of a buffer.
// Returns the packet's size, or 0 if it is incomplete.
usize take_rare_packet(std::span<const u8> bytes, u64 buffer_address, DecodeState& state, bool& ends_record) {
  Packet packet;
  const ParseResult result = parse_packet(std::as_bytes(bytes), buffer_address, packet);
  if (result == ParseResult::need_more) return 0;
  if (result == ParseResult::bad) {
    ++state.damage.bad_bytes;
    state.damage.bad_places += state.behind_bad_byte != buffer_address ? 1 : 0;
    state.behind_bad_byte = buffer_address + 1;
    state.broken = true;
    return 1;
  }
  take_packet(packet, state);
  ends_record = packet.kind == PacketKind::end || packet.kind == PacketKind::timestamp;
  return packet.size;
}

// Skips a run of padding bytes.
const u8* behind_padding(const u8* at, const u8* end) {
  while (end - at >= 8) {
    const u64 word = detail::load_word(at);
    if (word != 0) return at + std::countr_zero(word) / 8;
    at += 8;
  }
  return at;
}

}  // namespace

namespace detail {

Taken take_packets(std::span<const u8> bytes, DecodeState& state) {
  const u8* const begin = bytes.data();
  const u8* const end = begin + bytes.size();
  const u8* at = begin;
  Record& record = state.record;
  Taken taken;
  while (at != end && !taken.ends_record) {
    const usize room = static_cast<usize>(end - at);
    const Shape& shape = kShapes[*at];
    if (room < kLongestShape || shape.step == Step::rare) {
      const usize size =
          take_rare_packet({at, room}, state.buffer_address + static_cast<u64>(at - begin), state, taken.ends_record);
      if (size == 0) break;
      at += size;
      continue;
    }
    const u32 bit = u32{1} << shape.slot;
    record.words[shape.slot] = (load_word(at + 1) & shape.mask) | shape.above;
    state.repeated |= record.present & bit;
    record.present |= bit;
    at += shape.size;
    if (shape.step == Step::padding) at = behind_padding(at, end);
    taken.ends_record = shape.step == Step::ends_record;
  }
  taken.bytes = static_cast<usize>(at - begin);
  state.buffer_address += taken.bytes;
  state.fresh = state.fresh && taken.bytes == 0;
  return taken;
}

bool finish_record(DecodeState& state) {
  constexpr u32 kTimestamp = u32{1} << static_cast<u32>(Field::timestamp);
  Record& record = state.record;
  record.present &= kFields;
  if ((record.present & ~kTimestamp) == 0) {
    ++state.damage.empty_records;
    return false;
  }
  record.damaged = state.broken || (state.repeated & kFields) != 0;
  state.damage.damaged_records += record.damaged ? 1 : 0;
  ++state.records;
  return true;
}

void begin_record(DecodeState& state) {
  state.record = Record{};
  state.repeated = 0;
  state.fresh = true;
  state.broken = false;
}

}  // namespace detail

void end_of_buffer(DecodeState& state, usize bytes_left) {
  const bool started = !state.fresh && (state.record.present & kFields) != 0;
  state.damage.cut_packets += bytes_left != 0 ? 1 : 0;
  state.damage.unfinished_records += started || bytes_left != 0 ? 1 : 0;
  state.buffer_address += bytes_left;
  detail::begin_record(state);
}

}  // namespace wperf::spe
