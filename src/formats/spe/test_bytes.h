// SPDX-License-Identifier: BSD-3-Clause
// For the tests of this room: converts hexadecimal text to bytes, and bytes to packets and records.
#pragma once
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "formats/spe/packets.h"
#include "formats/spe/record_reader.h"

namespace wperf::spe {

// Converts "b0 e0 43" to bytes; any other characters are separators.
inline std::vector<std::byte> bytes_of(std::string_view hex) {
  std::vector<std::byte> bytes;
  int digits = 0;
  u32 value = 0;
  for (const char letter : hex) {
    const auto digit = std::string_view("0123456789abcdef").find(letter);
    if (digit == std::string_view::npos) continue;
    value = value << 4 | static_cast<u32>(digit);
    if (++digits % 2 == 0) bytes.push_back(static_cast<std::byte>(value & 0xff));
  }
  return bytes;
}

// All packets as text, joined by ';', without padding.
inline std::string words_of(std::span<const std::byte> bytes) {
  std::string words;
  for_each_packet_line(bytes, [&](const PacketLine& line) {
    if (line.text == "PAD") return;
    if (!words.empty()) words += ';';
    words += line.text;
  });
  return words;
}

struct Decoded {
  std::vector<Record> records;
  DecodeState state;
};

// Decodes one whole buffer.
inline Decoded decode(std::span<const std::byte> bytes) {
  Decoded decoded;
  const usize used = for_each_record(bytes, decoded.state, [&](const Record& r) { decoded.records.push_back(r); });
  end_of_buffer(decoded.state, bytes.size() - used);
  return decoded;
}

}  // namespace wperf::spe
