// SPDX-License-Identifier: BSD-3-Clause
#include "formats/spe/packets.h"

#include <algorithm>

namespace wperf::spe {

namespace {

u32 byte_at(std::span<const std::byte> bytes, usize at) {
  return std::to_integer<u32>(bytes[at]);
}

u64 read_little_endian(std::span<const std::byte> bytes) {
  u64 value = 0;
  for (usize i = bytes.size(); i > 0; --i) value = value << 8 | byte_at(bytes, i - 1);
  return value;
}

// Kind and index of a header byte that needs no second byte; returns false for other bytes.
bool classify(u32 header, Packet& packet) {
  const auto is = [&](PacketKind kind, u32 index) {
    packet.kind = kind;
    packet.index = static_cast<u8>(index);
    return true;
  };
  if (header == 0x00) return is(PacketKind::padding, 0);
  if (header == 0x01) return is(PacketKind::end, 0);
  if (header == 0x71) return is(PacketKind::timestamp, 0);
  if ((header & 0xcf) == 0x42) return is(PacketKind::events, 0);
  if ((header & 0xcf) == 0x43) return is(PacketKind::data_source, 0);
  if ((header & 0xfc) == 0x48) return is(PacketKind::operation, header & 3);
  if ((header & 0xfc) == 0x64) return is(PacketKind::context, (header & 3) + 1);
  if ((header & 0xf8) == 0x98) return is(PacketKind::counter, header & 7);
  if ((header & 0xf8) == 0xb0) return is(PacketKind::address, header & 7);
  return false;
}

// The boundary counts from the end of the two header bytes, so that a header that straddles it is not cut in two. The
// end of the buffer ends an alignment as well.
Cut take_alignment(u32 header, usize room, u64 buffer_address, Packet& packet) {
  const u64 boundary = u64{2} << (header & 0xf);
  const u64 behind_header = buffer_address + 2;
  const u64 skipped = -behind_header & (boundary - 1);
  packet.kind = PacketKind::alignment;
  packet.index = static_cast<u8>(header & 0xf);
  packet.payload = boundary;
  packet.size = static_cast<u32>(std::min<u64>(2 + skipped, room));
  return Cut::packet;
}

}  // namespace

Cut parse_packet(std::span<const std::byte> bytes, u64 buffer_address, Packet& packet) {
  if (bytes.empty()) return Cut::need_more;
  u32 header = byte_at(bytes, 0);
  usize header_size = 1;
  u32 high_index = 0;
  if ((header & 0xf0) == 0x20) {
    if (bytes.size() < 2) return Cut::need_more;
    const u32 second = byte_at(bytes, 1);
    if (second == 0) return take_alignment(header, bytes.size(), buffer_address, packet);
    if ((header & 0xfc) != 0x20) return Cut::bad;
    high_index = (header & 3) << 3;
    header = second;
    header_size = 2;
  }
  if (!classify(header, packet)) return Cut::bad;
  if (header_size == 2) {
    if (packet.kind != PacketKind::address && packet.kind != PacketKind::counter) return Cut::bad;
    packet.index = static_cast<u8>(packet.index | high_index);
  }
  const bool has_payload = packet.kind != PacketKind::padding && packet.kind != PacketKind::end;
  const usize payload_size = has_payload ? usize{1} << (header >> 4 & 3) : 0;
  if (bytes.size() - header_size < payload_size) return Cut::need_more;
  packet.size = static_cast<u32>(header_size + payload_size);
  packet.payload = read_little_endian(bytes.subspan(header_size, payload_size));
  return Cut::packet;
}

}  // namespace wperf::spe
