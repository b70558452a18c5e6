// SPDX-License-Identifier: BSD-3-Clause
// Packets in words, one line each, in the form of perf's raw dump, so that the two can be compared: "LAT 39 ISSUE", "PC
// 0x7ffdbf2143e0 el0 ns=1", "EV RETIRED L1D-ACCESS". For tests and for users who look at single records.
#pragma once
#include <cstddef>
#include <functional>
#include <span>
#include <string>

#include "formats/spe/packets.h"

namespace wperf::spe {

std::string packet_text(const Packet& packet);

// One line of a dump: a packet, a byte that begins no packet, or the rest of a cut packet.
struct PacketLine {
  usize offset = 0;
  std::span<const std::byte> bytes;
  std::string text;  // "Bad packet!" for the last two
};
void for_each_packet_line(std::span<const std::byte> bytes, const std::function<void(const PacketLine&)>& callback);

}  // namespace wperf::spe
