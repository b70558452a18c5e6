// SPDX-License-Identifier: BSD-3-Clause
#include "machine/perf_events/ring_pieces.h"

#include <gtest/gtest.h>

#include <cstring>
#include <limits>
#include <string>
#include <vector>

namespace wperf::perf_events {
namespace {

constexpr usize kRing = 32;

// The bytes that come from copying the pieces one after the other.
std::string copied(const RingPieces& pieces) {
  std::string bytes;
  for (const auto& piece : {pieces.first, pieces.second}) {
    for (const std::byte one : piece) bytes.push_back(static_cast<char>(one));
  }
  return bytes;
}

// A kernel that writes into a ring.
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
}  // namespace wperf::perf_events
