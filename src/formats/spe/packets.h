// SPDX-License-Identifier: BSD-3-Clause
// The lower layer of the SPE decoder: bytes → one packet. All packets of the Arm ARM up to FEAT_SPEv1p4, short and
// extended headers. Pure. record_reader.h interprets packets together, and reads ordinary packets by a separate table.
//
// A packet is a header byte (two when extended) and a little-endian payload whose size is in the header:
//
//   header bit   7 6 5 4 3 2 1 0
//                    └┬┘             log2(bytes of payload)
//                        └─ index ─┘ of an address or a counter; an extended header adds two high bits
#pragma once
#include <cstddef>
#include <span>

#include "base/ints.h"

namespace wperf::spe {

enum class PacketKind : u8 {
  padding,
  end,  // the end of a record without timestamp
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

enum class Cut : u8 {
  packet,
  need_more,  // the bytes end inside it
  bad,        // no packet begins like this: the caller counts one byte and continues after it
};

// The packet that `bytes` begin with. `buffer_address` is their address in the buffer that SPE wrote (any origin that
// is aligned to 64 KB will do): alignment packets are relative to it.
Cut parse_packet(std::span<const std::byte> bytes, u64 buffer_address, Packet& packet);

}  // namespace wperf::spe
