// SPDX-License-Identifier: BSD-3-Clause
#include "device/perf_events/ring_reader.h"

#include <gtest/gtest.h>

#include <cstring>

namespace wperf::perf_events {
namespace {

// A ring of 64 bytes that records are written to as the kernel does.
class FakeRing {
 public:
  void write(u32 type, u16 size, u8 fill) {
    std::byte header[8];
    const u16 misc = 7;
    std::memcpy(header, &type, 4);
    std::memcpy(header + 4, &misc, 2);
    std::memcpy(header + 6, &size, 2);
    for (const std::byte one : header) put(one);
    for (u16 i = 8; i < size; ++i) put(std::byte{fill});
  }
  void start_at(u64 position) { head = tail = position; }
  RingReader reader() const { return RingReader(bytes, head, tail); }

  std::vector<std::byte> bytes = std::vector<std::byte>(64);
  u64 head = 0, tail = 0;

 private:
  void put(std::byte one) { bytes[head++ % bytes.size()] = one; }
};

TEST(RingReader, AnEmptyRingHasNothing) {
  FakeRing ring;
  ring.start_at(24);
  RingReader reader = ring.reader();
  perf_data::Record record;
  EXPECT_FALSE(reader.next(record));
  EXPECT_FALSE(reader.damaged());
  EXPECT_EQ(reader.tail(), 24u);
}

TEST(RingReader, RecordsComeInOrder) {
  FakeRing ring;
  ring.write(9, 16, 0xaa);
  ring.write(3, 24, 0xbb);
  RingReader reader = ring.reader();
  perf_data::Record record;
  ASSERT_TRUE(reader.next(record));
  EXPECT_EQ(record.type, 9u);
  EXPECT_EQ(record.misc, 7u);
  EXPECT_EQ(record.body.size(), 8u);
  EXPECT_EQ(record.body[0], std::byte{0xaa});
  ASSERT_TRUE(reader.next(record));
  EXPECT_EQ(record.type, 3u);
  EXPECT_EQ(record.body.size(), 16u);
  EXPECT_FALSE(reader.next(record));
  EXPECT_EQ(reader.tail(), 40u);
}

TEST(RingReader, ARecordGoesRoundTheEnd) {
  for (u64 start = 0; start < 64; start += 8) {
    FakeRing ring;
    ring.start_at(6400 + start);
    ring.write(9, 40, 0xcd);
    RingReader reader = ring.reader();
    perf_data::Record record;
    ASSERT_TRUE(reader.next(record)) << start;
    EXPECT_EQ(record.type, 9u);
    ASSERT_EQ(record.body.size(), 32u);
    for (const std::byte one : record.body) EXPECT_EQ(one, std::byte{0xcd}) << start;
    EXPECT_EQ(reader.tail(), ring.head);
  }
}

TEST(RingReader, AHeaderGoesRoundTheEnd) {
  FakeRing ring;
  ring.start_at(60);  // the kernel aligns records; whoever else writes need not
  ring.write(9, 16, 0x11);
  RingReader reader = ring.reader();
  perf_data::Record record;
  ASSERT_TRUE(reader.next(record));
  EXPECT_EQ(record.type, 9u);
}

TEST(RingReader, PositionsMayPassTheGreatestNumber) {
  FakeRing ring;
  ring.start_at(~u64{0} - 15);
  ring.write(9, 32, 0x22);
  RingReader reader = ring.reader();
  perf_data::Record record;
  ASSERT_TRUE(reader.next(record));
  EXPECT_EQ(record.body.size(), 24u);
  EXPECT_EQ(reader.tail(), 16u);
}

TEST(RingReader, WhatMakesNoSenseIsSkippedAndSaid) {
  const auto expect_damage = [](const FakeRing& ring, const char* why) {
    RingReader reader = ring.reader();
    perf_data::Record record;
    EXPECT_FALSE(reader.next(record)) << why;
    EXPECT_TRUE(reader.damaged()) << why;
    EXPECT_EQ(reader.tail(), ring.head) << why;
  };
  FakeRing tiny;
  tiny.write(9, 16, 0);
  tiny.bytes[6] = std::byte{7};  // smaller than a header: nobody knows where the next one begins
  expect_damage(tiny, "size below the header");
  FakeRing empty = tiny;
  empty.bytes[6] = std::byte{0};
  expect_damage(empty, "size zero");
  FakeRing longer = tiny;
  longer.bytes[6] = std::byte{24};
  expect_damage(longer, "longer than what was written");
  FakeRing overrun = tiny;
  overrun.head = 65;
  expect_damage(overrun, "more than the ring holds");
  FakeRing cut;
  cut.head = 4;
  expect_damage(cut, "less than a header");
  FakeRing odd = tiny;
  odd.bytes.resize(48);
  expect_damage(odd, "no power of two");
  FakeRing none = tiny;
  none.bytes.clear();
  expect_damage(none, "no ring");
}

}  // namespace
}  // namespace wperf::perf_events
