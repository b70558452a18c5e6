// SPDX-License-Identifier: BSD-3-Clause
// The lower layer of the SPE decoder: bytes → one packet. It knows all packets of the Arm ARM up to FEAT_SPEv1p4, with
// short and extended headers. Pure. record_reader.h combines packets into records, and reads ordinary packets with a
// separate table.
//
// A packet is a header byte (two when extended) and a little-endian payload whose size is in the header:
//
//   header bit   7 6 5 4 3 2 1 0
//                    └┬┘             log2(bytes of payload)
//                        └─ index ─┘ of an address or a counter; an extended header adds two high bits
#pragma once
#include <cstddef>
#include <functional>
#include <span>
#include <string>

#include "base/ints.h"

namespace wperf::spe {

enum class PacketKind : u8 {
  padding,
  end,  // the end of a record without a timestamp
  timestamp,
  events,
  data_source,
  context,    // index: the exception level of the CONTEXTIDR; 3 and 4 are reserved
  operation,  // index: 0 other, 1 load/store/atomic, 2 branch, 3 reserved
  address,    // index: kAddressPc…
  counter,    // index: kCounterTotal…
  alignment,  // payload: the boundary up to which bytes are skipped
};

inline constexpr u32 kAddressPc = 0, kAddressTarget = 1, kAddressDataVirtual = 2, kAddressDataPhysical = 3,
                     kAddressPreviousTarget = 4;
inline constexpr u32 kCounterTotal = 0, kCounterIssue = 1, kCounterTranslation = 2;
inline constexpr u32 kClassOther = 0, kClassMemory = 1, kClassBranch = 2;

struct Packet {
  PacketKind kind = PacketKind::padding;
  u8 index = 0;
  u32 size = 1;  // of the whole packet; an alignment includes all bytes that it skips
  u64 payload = 0;
};

enum class ParseResult : u8 {
  packet,
  need_more,  // the bytes end inside the packet
  bad,        // no packet begins with this byte: the caller counts it and continues after it
};

// Parses the packet at the beginning of `bytes`. `buffer_address` is their address in the buffer that SPE wrote,
// because alignment packets depend on it; any origin that is aligned to 64 KB will do.
ParseResult parse_packet(std::span<const std::byte> bytes, u64 buffer_address, Packet& packet);

// A packet as text in the form of perf's raw dump, so that the two can be compared: "LAT 39 ISSUE", "PC 0x7ffdbf2143e0
// el0 ns=1", "EV RETIRED L1D-ACCESS". For tests and for users who look at individual records.
std::string packet_text(const Packet& packet);

// One line of a dump: a packet, a byte that begins no packet, or the bytes of an incomplete packet.
struct PacketLine {
  usize offset = 0;
  std::span<const std::byte> bytes;
  std::string text;  // "Bad packet!" for the last two kinds
};
void for_each_packet_line(std::span<const std::byte> bytes, const std::function<void(const PacketLine&)>& callback);

}  // namespace wperf::spe
