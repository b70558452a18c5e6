// SPDX-License-Identifier: BSD-3-Clause
#include "formats/spe/packets.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "base/bits.h"
#include "formats/spe/contract_names.h"
#include "formats/spe/operation_record.h"

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

// Finds kind and index of a header byte that needs no second byte; returns false for other bytes.
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

// The boundary is the first one after the two header bytes, so a header that straddles a boundary is not cut in two.
// The end of the buffer also ends an alignment.
ParseResult take_alignment(u32 header, usize room, u64 buffer_address, Packet& packet) {
  const u64 boundary = u64{2} << (header & 0xf);
  const u64 behind_header = buffer_address + 2;
  const u64 skipped = -behind_header & (boundary - 1);
  packet.kind = PacketKind::alignment;
  packet.index = static_cast<u8>(header & 0xf);
  packet.payload = boundary;
  packet.size = static_cast<u32>(std::min<u64>(2 + skipped, room));
  return ParseResult::packet;
}

struct EventText {
  u32 bit;
  std::string_view text;
};
constexpr EventText kEventTexts[] = {
    {kEventException, "EXCEPTION-GEN"},
    {kEventRetired, "RETIRED"},
    {kEventL1dAccess, "L1D-ACCESS"},
    {kEventL1dRefill, "L1D-REFILL"},
    {kEventTlbAccess, "TLB-ACCESS"},
    {kEventTlbWalk, "TLB-REFILL"},
    {kEventNotTaken, "NOT-TAKEN"},
    {kEventMispredicted, "MISPRED"},
    {kEventLlcAccess, "LLC-ACCESS"},
    {kEventLlcMiss, "LLC-REFILL"},
    {kEventRemoteAccess, "REMOTE-ACCESS"},
    {kEventMisaligned, "ALIGNMENT"},
    {kEventTransaction, "TXN"},
    {kEventPartialPredicate, "SVE-PARTIAL-PRED"},
    {kEventEmptyPredicate, "SVE-EMPTY-PRED"},
    {kEventL2dAccess, "L2D-ACCESS"},
    {kEventL2dMiss, "L2D-MISS"},
    {kEventModified, "HITM"},
    {kEventRecentlyFetched, "LFB"},
    {kEventSnooped, "SNOOPED"},
    {kEventStreaming, "STREAMING"},
    {kEventSharedUnit, "SMCU"},
};

std::string event_text(u64 events) {
  std::string text = "EV";
  for (const EventText& event : kEventTexts) {
    if ((events >> event.bit & 1) == 0) continue;
    text += ' ';
    text += event.text;
    events &= ~(u64{1} << event.bit);
  }
  for (u32 bit = 0; bit < 64; ++bit) {
    if ((events >> bit & 1) != 0) text += fmt::format(" BIT{}", bit);
  }
  return text;
}

void add_if(std::string& text, bool condition, std::string_view word) {
  if (!condition) return;
  text += ' ';
  text += word;
}

std::string other_text(const Operation& operation, u64 payload) {
  if (operation.sve) {
    std::string text = fmt::format("SVE-OTHER EVLEN {}", operation.vector_bits);
    add_if(text, operation.floating_point, "FP");
    add_if(text, operation.predicated, "PRED");
    return text;
  }
  if (operation.sme) {
    std::string text = fmt::format("SME-OTHER ETS {}", operation.vector_bits);
    add_if(text, operation.floating_point, "FP");
    return text;
  }
  if ((payload & 0xf8) != 0) return fmt::format("OTHER {:#x}", payload);
  std::string text = "OTHER";
  add_if(text, operation.simd, "ASE");
  add_if(text, operation.floating_point, "FP");
  add_if(text, true, operation.conditional ? "COND-SELECT" : "INSN-OTHER");
  return text;
}

std::string memory_text(const Operation& operation, u64 payload) {
  std::string text = operation.store ? "ST" : "LD";
  switch (operation.memory) {
    case MemoryKind::general_registers:
      return text + " GP-REG";
    case MemoryKind::simd_fp_registers:
      return text + " SIMD-FP";
    case MemoryKind::unspecified:
      return text + " UNSPEC-REG";
    case MemoryKind::tags:
      return text + " MTE-TAG";
    case MemoryKind::copy:
      return text + " MEMCPY";
    case MemoryKind::set:
      return text + " MEMSET";
    case MemoryKind::system_register:
      return text + " NV-SYSREG";
    case MemoryKind::ordered:
      add_if(text, operation.atomic, "AT");
      add_if(text, operation.exclusive, "EXCL");
      add_if(text, operation.acquire_release, "AR");
      return text;
    case MemoryKind::vector:
      text += fmt::format(" EVLEN {}", operation.vector_bits);
      add_if(text, operation.predicated, "PRED");
      add_if(text, operation.gather_scatter, "SG");
      return text;
    case MemoryKind::guarded_call_stack:
      text += " GCS";
      add_if(text, operation.common_gcs, "COMM");
      return text;
    case MemoryKind::none:
    case MemoryKind::unknown:
      break;
  }
  return text + fmt::format(" {:#x}", payload);
}

std::string branch_text(const Operation& operation) {
  std::string text = "B";
  add_if(text, operation.conditional, "COND");
  add_if(text, operation.indirect, "IND");
  add_if(text, operation.guarded_stack, "GCS");
  add_if(text, operation.link == BranchLink::call, "CR-BL");
  add_if(text, operation.link == BranchLink::function_return, "CR-RET");
  add_if(text, operation.link == BranchLink::neither, "CR-NON-BL-RET");
  return text;
}

std::string operation_text(const Packet& packet) {
  const Operation operation = decode_operation(packet.index, static_cast<u8>(packet.payload));
  switch (operation.operation_class) {
    case OperationClass::other:
      return other_text(operation, packet.payload);
    case OperationClass::memory:
      return memory_text(operation, packet.payload);
    case OperationClass::branch:
      return branch_text(operation);
    default:
      return fmt::format("OP-{} {:#x}", packet.index, packet.payload);
  }
}

std::string address_text(const Packet& packet) {
  const u64 payload = packet.payload;
  const u64 address = bit_field(payload, 0, 56);
  const u64 non_secure = payload >> 63;
  std::string_view name;
  switch (packet.index) {
    case kAddressPc:
      name = "PC";
      break;
    case kAddressTarget:
      name = "TGT";
      break;
    case kAddressPreviousTarget:
      name = "PBT";
      break;
    case kAddressDataVirtual:
      return fmt::format("VA {:#x}", payload);
    case kAddressDataPhysical:
      return fmt::format("PA {:#x} ns={} ch={} pat={:x}", address, non_secure, bit_field(payload, 62, 1),
                         bit_field(payload, 56, 4));
    default:
      return fmt::format("ADDR {:#x} ({})", payload, packet.index);
  }
  return fmt::format("{} {:#x} el{} ns={}", name, address, bit_field(payload, 61, 2), non_secure);
}

std::string counter_text(const Packet& packet) {
  switch (packet.index) {
    case kCounterTotal:
      return fmt::format("LAT {} TOT", packet.payload);
    case kCounterIssue:
      return fmt::format("LAT {} ISSUE", packet.payload);
    case kCounterTranslation:
      return fmt::format("LAT {} XLAT", packet.payload);
    default:
      return fmt::format("LAT {} ({})", packet.payload, packet.index);
  }
}

}  // namespace

ParseResult parse_packet(std::span<const std::byte> bytes, u64 buffer_address, Packet& packet) {
  if (bytes.empty()) return ParseResult::need_more;
  u32 header = byte_at(bytes, 0);
  usize header_size = 1;
  u32 high_index = 0;
  if ((header & 0xf0) == 0x20) {
    if (bytes.size() < 2) return ParseResult::need_more;
    const u32 second = byte_at(bytes, 1);
    if (second == 0) return take_alignment(header, bytes.size(), buffer_address, packet);
    if ((header & 0xfc) != 0x20) return ParseResult::bad;
    high_index = (header & 3) << 3;
    header = second;
    header_size = 2;
  }
  if (!classify(header, packet)) return ParseResult::bad;
  if (header_size == 2) {
    if (packet.kind != PacketKind::address && packet.kind != PacketKind::counter) return ParseResult::bad;
    packet.index = static_cast<u8>(packet.index | high_index);
  }
  const bool has_payload = packet.kind != PacketKind::padding && packet.kind != PacketKind::end;
  const usize payload_size = has_payload ? usize{1} << (header >> 4 & 3) : 0;
  if (bytes.size() - header_size < payload_size) return ParseResult::need_more;
  packet.size = static_cast<u32>(header_size + payload_size);
  packet.payload = read_little_endian(bytes.subspan(header_size, payload_size));
  return ParseResult::packet;
}

std::string packet_text(const Packet& packet) {
  switch (packet.kind) {
    case PacketKind::padding:
      return "PAD";
    case PacketKind::end:
      return "END";
    case PacketKind::timestamp:
      return fmt::format("TS {}", packet.payload);
    case PacketKind::events:
      return event_text(packet.payload);
    case PacketKind::data_source:
      return fmt::format("DATA-SOURCE {}", packet.payload);
    case PacketKind::context:
      return fmt::format("CONTEXT {:#x} el{}", packet.payload, packet.index);
    case PacketKind::operation:
      return operation_text(packet);
    case PacketKind::address:
      return address_text(packet);
    case PacketKind::counter:
      return counter_text(packet);
    case PacketKind::alignment:
      return fmt::format("ALIGN {}", packet.payload);
  }
  return {};
}

void for_each_packet_line(std::span<const std::byte> bytes, const std::function<void(const PacketLine&)>& callback) {
  usize at = 0;
  while (at < bytes.size()) {
    Packet packet;
    PacketLine line{.offset = at, .bytes = {}, .text = "Bad packet!"};
    usize size = 1;
    const ParseResult result = parse_packet(bytes.subspan(at), at, packet);
    if (result == ParseResult::packet) {
      size = packet.size;
      line.text = packet_text(packet);
    } else if (result == ParseResult::need_more) {
      size = bytes.size() - at;
    }
    line.bytes = bytes.subspan(at, size);
    callback(line);
    at += size;
  }
}

}  // namespace wperf::spe
