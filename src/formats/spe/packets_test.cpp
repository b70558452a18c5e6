// SPDX-License-Identifier: BSD-3-Clause
#include "formats/spe/packets.h"

#include <gtest/gtest.h>

#include "formats/spe/test_bytes.h"

namespace wperf::spe {
namespace {

struct Case {
  std::string_view hex;
  std::string_view text;
};

TEST(Packets, EveryKindInWords) {
  const Case cases[] = {
      {"00", "PAD"},
      {"01", "END"},
      {"71 6b 72 5a 1d 8f 03 00 00", "TS 3913207673451"},
      {"42 16", "EV RETIRED L1D-ACCESS TLB-ACCESS"},
      {"52 42 00", "EV RETIRED NOT-TAKEN"},
      {"52 ff 0f",
       "EV EXCEPTION-GEN RETIRED L1D-ACCESS L1D-REFILL TLB-ACCESS TLB-REFILL NOT-TAKEN MISPRED LLC-ACCESS LLC-REFILL "
       "REMOTE-ACCESS ALIGNMENT"},
      {"62 00 00 ff 03", "EV TXN SVE-PARTIAL-PRED SVE-EMPTY-PRED L2D-ACCESS L2D-MISS HITM LFB SNOOPED STREAMING SMCU"},
      {"72 00 10 00 04 00 00 00 80", "EV BIT12 BIT26 BIT63"},
      {"52 00 00", "EV"},
      {"43 0e", "DATA-SOURCE 14"},
      {"53 0d 01", "DATA-SOURCE 269"},
      {"63 01 00 00 01", "DATA-SOURCE 16777217"},
      {"73 01 00 00 00 00 00 00 01", "DATA-SOURCE 72057594037927937"},
      {"64 0e 00 00 00", "CONTEXT 0xe el1"},
      {"65 80 5f 00 00", "CONTEXT 0x5f80 el2"},
      {"66 01 00 00 00", "CONTEXT 0x1 el3"},
      {"67 01 00 00 00", "CONTEXT 0x1 el4"},
      {"98 28 00", "LAT 40 TOT"},
      {"99 27 00", "LAT 39 ISSUE"},
      {"9a ff ff", "LAT 65535 XLAT"},
      {"9d 01 00", "LAT 1 (5)"},
      {"b0 e0 43 21 bf fd 7f 00 80", "PC 0x7ffdbf2143e0 el0 ns=1"},
      {"b0 f4 d3 29 10 00 80 ff a0", "PC 0xff80001029d3f4 el1 ns=1"},
      {"b0 00 10 00 00 00 00 00 70", "PC 0x1000 el3 ns=0"},
      {"b1 08 44 21 bf fd 7f 00 80", "TGT 0x7ffdbf214408 el0 ns=1"},
      {"b2 50 bd ba 73 00 80 ff ff", "VA 0xffff800073babd50"},
      {"b3 43 5a 95 2c 03 08 00 80", "PA 0x8032c955a43 ns=1 ch=0 pat=0"},
      {"b3 43 5a 95 2c 03 08 00 4b", "PA 0x8032c955a43 ns=0 ch=1 pat=b"},
      {"b4 08 44 21 bf fd 7f 00 c0", "PBT 0x7ffdbf214408 el2 ns=1"},
      {"b6 01 00 00 00 00 00 00 00", "ADDR 0x1 (6)"},
      {"20 b0 00 10 00 00 00 00 00 80", "PC 0x1000 el0 ns=1"},
      {"23 b7 01 00 00 00 00 00 00 00", "ADDR 0x1 (31)"},
      {"21 98 07 00", "LAT 7 (8)"},
      {"22 9a 07 00", "LAT 7 (18)"},
  };
  for (const Case& c : cases) EXPECT_EQ(words_of(bytes_of(c.hex)).empty() ? "PAD" : words_of(bytes_of(c.hex)), c.text);
}

TEST(Packets, EveryOperationInWords) {
  const Case cases[] = {
      {"48 00", "OTHER INSN-OTHER"},
      {"48 01", "OTHER COND-SELECT"},
      {"48 06", "OTHER ASE FP INSN-OTHER"},
      {"48 3e", "SVE-OTHER EVLEN 256 FP PRED"},
      {"48 08", "SVE-OTHER EVLEN 32"},
      {"48 8a", "SME-OTHER ETS 128 FP"},
      {"48 bc", "SME-OTHER ETS 16384"},
      {"48 41", "OTHER 0x41"},
      {"49 00", "LD GP-REG"},
      {"49 01", "ST GP-REG"},
      {"49 04", "LD SIMD-FP"},
      {"49 05", "ST SIMD-FP"},
      {"49 10", "LD UNSPEC-REG"},
      {"49 15", "ST MTE-TAG"},
      {"49 20", "LD MEMCPY"},
      {"49 21", "ST MEMCPY"},
      {"49 25", "ST MEMSET"},
      {"49 24", "LD 0x24"},
      {"49 30", "LD NV-SYSREG"},
      {"49 02", "LD"},
      {"49 07", "ST AT"},
      {"49 0a", "LD EXCL"},
      {"49 12", "LD AR"},
      {"49 1f", "ST AT EXCL AR"},
      {"49 38", "LD EVLEN 256"},
      {"49 bd", "ST EVLEN 256 PRED SG"},
      {"49 40", "LD GCS"},
      {"49 45", "ST GCS COMM"},
      {"49 60", "LD 0x60"},
      {"4a 00", "B"},
      {"4a 01", "B COND"},
      {"4a 02", "B IND"},
      {"4a 0e", "B IND GCS CR-BL"},
      {"4a 12", "B IND CR-RET"},
      {"4a 19", "B COND CR-NON-BL-RET"},
      {"4b 05", "OP-3 0x5"},
  };
  for (const Case& c : cases) EXPECT_EQ(words_of(bytes_of(c.hex)), c.text) << c.hex;
}

TEST(Packets, EveryOperationHasOneMeaning) {
  for (u32 payload = 0; payload < 256; ++payload) {
    const Operation memory = decode_operation(kClassMemory, static_cast<u8>(payload));
    EXPECT_EQ(memory.store, (payload & 1) != 0);
    EXPECT_NE(memory.memory, MemoryKind::none);
    EXPECT_LE(memory.vector_bits, 4096U);
    EXPECT_FALSE(decode_operation(kClassOther, static_cast<u8>(payload)).sve &&
                 decode_operation(kClassOther, static_cast<u8>(payload)).sme);
    EXPECT_EQ(decode_operation(kClassBranch, static_cast<u8>(payload)).indirect, (payload & 2) != 0);
  }
  EXPECT_EQ(decode_operation(3, 0).operation_class, OperationClass::reserved);
}

TEST(Packets, EveryCutPacketWantsMore) {
  for (u32 header = 1; header < 256; ++header) {
    const std::byte first[] = {static_cast<std::byte>(header), std::byte{0xb3}};
    std::vector<std::byte> bytes(12);
    bytes[0] = first[0];
    if ((header & 0xf0) == 0x20) bytes[1] = first[1];
    Packet whole;
    if (parse_packet(bytes, 0, whole) != ParseResult::packet) continue;
    for (usize size = 0; size < whole.size; ++size) {
      Packet packet;
      EXPECT_EQ(parse_packet(std::span(bytes).first(size), 0, packet), ParseResult::need_more) << header << ' ' << size;
    }
    Packet again;
    EXPECT_EQ(parse_packet(std::span(bytes).first(whole.size), 0, again), ParseResult::packet);
    EXPECT_EQ(again.size, whole.size);
  }
}

TEST(Packets, WhatBeginsNone) {
  u32 good = 0;
  for (u32 header = 0; header < 256; ++header) {
    std::vector<std::byte> bytes(12, std::byte{0xff});
    bytes[0] = static_cast<std::byte>(header);
    Packet packet;
    const ParseResult result = parse_packet(bytes, 0, packet);
    EXPECT_NE(result, ParseResult::need_more);
    good += result == ParseResult::packet ? 1 : 0;
  }
  // The bytes 00 01 71; four sizes of events and of data sources; four contexts, four operations, eight addresses,
  // eight counters.
  EXPECT_EQ(good, 3U + 8 + 4 + 4 + 8 + 8);
  EXPECT_EQ(words_of(bytes_of("20 71 98 01 00")),
            "Bad packet!;Bad packet!");  // only addresses and counters may be extended
  EXPECT_EQ(words_of(bytes_of("24 b0")), "Bad packet!;Bad packet!");
  EXPECT_EQ(words_of(bytes_of("ff 42 02 f0 98 01 00")), "Bad packet!;EV RETIRED;Bad packet!;LAT 1 TOT");
}

TEST(Packets, AlignmentCountsFromTheBuffer) {
  const std::vector<std::byte> bytes = bytes_of("22 00" + std::string(2 * 70, 'f'));
  Packet packet;
  const auto size_at = [&](u64 address) {
    EXPECT_EQ(parse_packet(bytes, address, packet), ParseResult::packet);
    EXPECT_EQ(packet.kind, PacketKind::alignment);
    return packet.size;
  };
  EXPECT_EQ(size_at(0), 8U);  // 2^(2+1)
  EXPECT_EQ(packet.payload, 8U);
  EXPECT_EQ(size_at(3), 5U);
  EXPECT_EQ(size_at(6), 2U);  // ends exactly on the boundary
  EXPECT_EQ(size_at(7), 9U);  // its header straddles a boundary
  EXPECT_EQ(size_at(~u64{0} - 2), 3U);
}

TEST(Packets, EveryAlignment) {
  for (u32 n = 0; n < 16; ++n) {
    std::vector<std::byte> bytes(u32{1} << 17, std::byte{0xff});
    bytes[0] = static_cast<std::byte>(0x20 | n);
    bytes[1] = std::byte{0};
    Packet packet;
    ASSERT_EQ(parse_packet(bytes, 0, packet), ParseResult::packet);
    EXPECT_EQ(packet.size, u32{2} << n);
    // The buffer ends before the boundary, so the skipped bytes end there, too.
    ASSERT_EQ(parse_packet(std::span(bytes).first(2), 4, packet), ParseResult::packet);
    EXPECT_EQ(packet.size, 2U);
  }
}

}  // namespace
}  // namespace wperf::spe
