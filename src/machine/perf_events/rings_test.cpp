// SPDX-License-Identifier: BSD-3-Clause
#include "machine/perf_events/rings.h"

#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <vector>

namespace wperf::perf_events {
namespace {

constexpr usize kRing = 32;

// The bytes of both pieces together.
std::string copied(const RingPieces& pieces) {
  std::string bytes;
  for (const auto& piece : {pieces.first, pieces.second}) {
    for (const std::byte one : piece) bytes.push_back(static_cast<char>(one));
  }
  return bytes;
}

// Writes into a ring like a kernel.
class Writer {
 public:
  void write(std::string_view text) {
    for (const char letter : text) ring[head++ % kRing] = static_cast<std::byte>(letter);
  }
  RingPieces take() {
    const RingPieces pieces = waiting_in(ring, head, tail);
    tail = pieces.tail;
    return pieces;
  }

  std::vector<std::byte> ring = std::vector<std::byte>(kRing);
  u64 head = 0, tail = 0;
};

TEST(RingPieces, NothingWaits) {
  Writer writer;
  EXPECT_EQ(writer.take().size(), 0u);
  EXPECT_FALSE(writer.take().nonsense);
}

TEST(RingPieces, BytesComeInTheirOrderAcrossTheEndOfTheRing) {
  Writer writer;
  writer.write("twenty bytes of text");
  EXPECT_EQ(copied(writer.take()), "twenty bytes of text");
  writer.write("and another 24 after it.");
  const RingPieces pieces = writer.take();
  EXPECT_EQ(pieces.first.size(), kRing - 20);
  EXPECT_EQ(pieces.second.size(), 24 - (kRing - 20));
  EXPECT_EQ(copied(pieces), "and another 24 after it.");
  EXPECT_EQ(writer.take().size(), 0u) << "taken once";
}

TEST(RingPieces, AFullRing) {
  Writer writer;
  writer.write("xxxxx");
  writer.take();
  writer.write("0123456789abcdef0123456789ABCDEF");
  EXPECT_EQ(copied(writer.take()), "0123456789abcdef0123456789ABCDEF");
}

TEST(RingPieces, PositionsThatTurnOver) {
  Writer writer;
  writer.head = writer.tail = std::numeric_limits<u64>::max() - 3;
  writer.write("eight by");
  EXPECT_EQ(copied(writer.take()), "eight by");
  EXPECT_EQ(writer.tail, 4u);
}

TEST(RingPieces, PositionsThatCannotBe) {
  const std::vector<std::byte> ring(kRing);
  for (const auto& [head, tail] : {std::pair<u64, u64>{33, 0}, {0, 8}, {u64{1} << 40, 0}}) {
    const RingPieces pieces = waiting_in(ring, head, tail);
    EXPECT_TRUE(pieces.nonsense);
    EXPECT_EQ(pieces.size(), 0u);
    EXPECT_EQ(pieces.tail, head) << "what cannot be taken does not stop the ring";
  }
  EXPECT_TRUE(waiting_in(std::span(ring).first(24), 8, 0).nonsense) << "no power of two";
}

}  // namespace

namespace {

constexpr u64 kTruncated = 1, kPartial = 4, kCollision = 8;

struct DeliveredPiece {
  u32 core = 0;
  bool after_gap = false;
  u64 address = 0;
  std::string bytes;
};

// An area with sixteen bytes, "abcdefghijklmnop", and a ring to which the test appends records.
class AuxAreaTest : public testing::Test {
 protected:
  static void put(std::vector<std::byte>& out, u64 value, usize size) {
    for (usize i = 0; i < size; ++i) out.push_back(static_cast<std::byte>(value >> (8 * i)));
  }
  void tell(u64 offset, u64 size, u64 flags = 0) {
    put(ring_, 11, 4);
    put(ring_, 0, 2);
    put(ring_, 32, 2);
    for (const u64 word : {offset, size, flags}) put(ring_, word, 8);
  }
  void tell_lost() {
    put(ring_, 2, 4);
    put(ring_, 0, 2);
    put(ring_, 24, 2);
    for (const u64 word : {1, 1}) put(ring_, word, 8);
  }
  // `split`: where the end of the ring cuts the records.
  std::vector<DeliveredPiece> drain(u64 head, usize split = 0) {
    std::vector<DeliveredPiece> handed;
    const std::span<const std::byte> all = ring_;
    area_.drain({.first = all.first(split), .second = all.subspan(split)}, head, [&](const readings::SpePiece& piece) {
      handed.push_back({piece.core, piece.after_gap, piece.buffer_address,
                        std::string(reinterpret_cast<const char*>(piece.bytes.data()), piece.bytes.size())});
    });
    ring_.clear();
    return handed;
  }

  const std::string bytes_ = "abcdefghijklmnop";
  AuxArea area_{3, std::as_bytes(std::span(bytes_))};
  std::vector<std::byte> ring_;
};

TEST_F(AuxAreaTest, HandsOutWhatRecordsTell) {
  tell(0, 4);
  tell(4, 6);
  const auto handed = drain(10);
  ASSERT_EQ(handed.size(), 2u);
  EXPECT_EQ(handed[0].bytes, "abcd");
  EXPECT_EQ(handed[0].core, 3u);
  EXPECT_FALSE(handed[0].after_gap);
  EXPECT_EQ(handed[1].bytes, "efghij");
  EXPECT_EQ(handed[1].address, 4u);
  EXPECT_FALSE(handed[1].after_gap);
  EXPECT_EQ(area_.tail(), 10u);
  EXPECT_EQ(area_.statistics().written, 10u);
}

TEST_F(AuxAreaTest, GoesRoundTheEnd) {
  tell(0, 12);
  drain(12);
  tell(12, 10);
  const auto handed = drain(22);
  ASSERT_EQ(handed.size(), 2u);
  EXPECT_EQ(handed[0].bytes, "mnop");
  EXPECT_EQ(handed[1].bytes, "abcdef");
  EXPECT_EQ(handed[1].address, 0u);
  EXPECT_FALSE(handed[1].after_gap) << "the stream goes on";
  EXPECT_EQ(area_.tail(), 22u);
}

TEST_F(AuxAreaTest, RecordsGoRoundTheEndOfTheirRing) {
  for (const usize split : {1u, 8u, 20u, 32u, 40u}) {
    AuxArea area(0, std::as_bytes(std::span(bytes_)));
    std::swap(area_, area);
    tell(0, 4);
    tell(4, 4);
    const auto handed = drain(8, split);
    ASSERT_EQ(handed.size(), 2u) << split;
    EXPECT_EQ(handed[1].bytes, "efgh");
  }
}

TEST_F(AuxAreaTest, WaitsForTheRecord) {
  EXPECT_TRUE(drain(8).empty());
  EXPECT_EQ(area_.tail(), 0u);
  tell(0, 8);
  EXPECT_EQ(drain(8).size(), 1u);
}

TEST_F(AuxAreaTest, TruncatedAuxDataIsGap) {
  tell(0, 4);
  tell(8, 4);
  const auto handed = drain(12);
  ASSERT_EQ(handed.size(), 2u);
  EXPECT_EQ(handed[1].bytes, "ijkl");
  EXPECT_TRUE(handed[1].after_gap);
  EXPECT_EQ(area_.statistics().data_losses, 0u);
}

TEST_F(AuxAreaTest, FlagsBecomeLosses) {
  tell(0, 4, kTruncated);
  tell(4, 4, kCollision);
  tell(8, 4, kPartial);
  tell(12, 4);
  const auto handed = drain(16);
  ASSERT_EQ(handed.size(), 4u);
  EXPECT_EQ((std::vector<bool>{handed[0].after_gap, handed[1].after_gap, handed[2].after_gap, handed[3].after_gap}),
            (std::vector<bool>{false, true, false, true}));
  EXPECT_EQ(area_.statistics().full, 1u);
  EXPECT_EQ(area_.statistics().collisions, 1u);
  EXPECT_EQ(area_.statistics().data_losses, 1u);
}

TEST_F(AuxAreaTest, LostRecordsAreAGap) {
  tell(0, 4);
  tell_lost();
  tell(8, 4);
  const auto handed = drain(12);
  ASSERT_EQ(handed.size(), 2u);
  EXPECT_TRUE(handed[1].after_gap);
  EXPECT_EQ(area_.statistics().data_losses, 1u);
}

TEST_F(AuxAreaTest, NothingIsRead) {
  const std::pair<u64, u64> nonsense[] = {{4, 8}, {9, 1}, {~u64{0}, 2}, {0, ~u64{0}}, {1, ~u64{0}}};
  for (const auto& [offset, size] : nonsense) {
    AuxArea area(0, std::as_bytes(std::span(bytes_)));
    std::swap(area_, area);
    tell(offset, size);
    EXPECT_TRUE(drain(8).empty()) << offset << " " << size;
    EXPECT_EQ(area_.statistics().data_losses, 1u);
  }
}

TEST_F(AuxAreaTest, InvalidHeadResetsArea) {
  tell(0, 4);
  EXPECT_TRUE(drain(17).empty()) << "more than the area has";
  EXPECT_EQ(area_.tail(), 17u);
  tell(17, 2);
  const auto handed = drain(19);
  ASSERT_EQ(handed.size(), 1u);
  EXPECT_EQ(handed[0].bytes, "bc");
  EXPECT_TRUE(handed[0].after_gap);
  EXPECT_TRUE(drain(5).empty()) << "backwards";
  EXPECT_EQ(area_.tail(), 5u);
  EXPECT_EQ(area_.statistics().data_losses, 2u);
}

}  // namespace
}  // namespace wperf::perf_events
