// SPDX-License-Identifier: BSD-3-Clause
#include "formats/spe/record_reader.h"

#include <gtest/gtest.h>

#include "formats/spe/spe_encoder.h"
#include "formats/spe/test_bytes.h"

namespace wperf::spe {
namespace {

SpeEncoder full_record() {
  SpeEncoder e;
  e.pc(0xffff'8000'1029'd3f4, 1).target(0x7ff6'0000'1000).data(0x3a00'7f12'3456'7890).physical(0xcb00'0003'3333'4444);
  e.code(kAddressPreviousTarget, 0x7ff6'0000'2000).counter(kCounterTotal, 500).counter(kCounterIssue, 300);
  e.counter(kCounterTranslation, 20).events(0x3'0516, 2).operation(kClassMemory, 0x05).source(0xe).context(1, 77);
  e.context(2, 88).timestamp(123456789);
  return e;
}

void expect_full(const Record& r) {
  EXPECT_EQ(r.present, (u32{1} << kFieldCount) - 1);
  EXPECT_EQ(r.pc(), 0xffff'8000'1029'd3f4);
  EXPECT_EQ(r.exception_level(), 1U);
  EXPECT_TRUE(r.non_secure());
  EXPECT_FALSE(r.realm());
  EXPECT_EQ(r.branch_target(), 0x7ff6'0000'1000U);
  EXPECT_EQ(r.previous_target(), 0x7ff6'0000'2000U);
  EXPECT_EQ(r.data_virtual(), 0x7f12'3456'7890U);
  EXPECT_EQ(r.data_tag(), 0x3aU);
  EXPECT_EQ(r.data_physical(), 0x3'3333'4444U);
  EXPECT_TRUE(r.physical_non_secure());
  EXPECT_TRUE(r.physical_tag_checked());
  EXPECT_EQ(r.physical_tag(), 0xbU);
  EXPECT_EQ(r.total_latency(), 500U);
  EXPECT_EQ(r.issue_latency(), 300U);
  EXPECT_EQ(r.translation_latency(), 20U);
  EXPECT_EQ(r.events(), 0x3'0516U);
  EXPECT_EQ(r.operation().memory, MemoryKind::simd_fp_registers);
  EXPECT_TRUE(r.operation().store);
  EXPECT_EQ(r.data_source(), 0xeU);
  EXPECT_EQ(r.context_el1(), 77U);
  EXPECT_EQ(r.context_el2(), 88U);
  EXPECT_EQ(r.timestamp(), 123456789U);
  EXPECT_FALSE(r.damaged);
}

TEST(Records, EveryField) {
  const Decoded decoded = decode(full_record().bytes());
  ASSERT_EQ(decoded.records.size(), 1U);
  expect_full(decoded.records[0]);
  EXPECT_FALSE(decoded.state.damage.any());
  EXPECT_EQ(decoded.state.records, 1U);
  EXPECT_EQ(decoded.state.passed_packets, 0U);
}

// The fast loop reads the front of a buffer, the careful loop its last bytes. Both must find the same packets.
TEST(Records, TheSameAtTheEndOfABufferAndInPieces) {
  const SpeEncoder e = full_record();
  for (usize front = 0; front <= e.size(); ++front) {
    DecodeState state;
    std::vector<Record> records;
    const auto keep = [&](const Record& r) { records.push_back(r); };
    const usize used = for_each_record(e.bytes().first(front), state, keep);
    ASSERT_LE(used, front);
    EXPECT_EQ(state.buffer_address, used);
    const usize rest = for_each_record(e.bytes().subspan(used), state, keep);
    end_of_buffer(state, e.size() - used - rest);
    ASSERT_EQ(records.size(), 1U) << front;
    expect_full(records[0]);
    EXPECT_FALSE(state.damage.any());
  }
}

TEST(Records, AnyOrder) {
  const char* const orders[] = {
      // A Neoverse with a context packet; a core that pads to words; a core whose records begin with the operation.
      "b0 f4 d3 29 10 00 80 ff a0 99 0b 00 98 0d 00 52 16 00 49 00 b2 d0 40 d8 70 00 00 ff 00 9a 01 00 00 71 a5 1f b3 "
      "20 14 00 00 00",
      "49 00 52 16 00 b2 d0 40 d8 70 00 00 ff 00 9a 01 00 98 0d 00 99 0b 00 b0 f4 d3 29 10 00 80 ff a0 71 a5 1f b3 20 "
      "14 00 00 00",
      "9a 01 00 b2 d0 40 d8 70 00 00 ff 00 00 00 00 62 16 00 00 00 20 b0 f4 d3 29 10 00 80 ff a0 20 98 0d 00 99 0b 00 "
      "49 00 71 a5 1f b3 20 14 00 00 00",
  };
  const Record first = decode(bytes_of(orders[0])).records.at(0);
  EXPECT_EQ(first.pc(), 0xffff'8000'1029'd3f4);
  EXPECT_EQ(first.data_virtual(), 0xffff'0000'70d8'40d0);
  for (const char* order : orders) {
    const Decoded decoded = decode(bytes_of(order));
    ASSERT_EQ(decoded.records.size(), 1U);
    Record record = decoded.records[0];
    record.words[Record::kSpare] = first.words[Record::kSpare];
    EXPECT_EQ(record, first);
    EXPECT_FALSE(decoded.state.damage.any());
  }
}

TEST(Records, AbsentFieldsReadAsZero) {
  SpeEncoder e;
  e.pc(0x1000).operation(kClassOther, 0).end().pc(0x2000).end();
  const Decoded decoded = decode(e.bytes());
  ASSERT_EQ(decoded.records.size(), 2U);
  const Record& r = decoded.records[1];  // it has no values from the previous record
  EXPECT_EQ(r.pc(), 0x2000U);
  for (const Field field : {Field::operation, Field::timestamp, Field::data_source, Field::total_latency}) {
    EXPECT_FALSE(r.has(field));
    EXPECT_EQ(r.raw(field), 0U);
  }
  EXPECT_EQ(r.operation().operation_class, OperationClass::none);
  EXPECT_EQ(decoded.records[0].operation().operation_class, OperationClass::other);
}

TEST(Records, CanonicalAddresses) {
  SpeEncoder e;
  e.pc(0xffff'8000'0000'1000, 2).end();
  e.pc(0x0000'ffff'0000'1000, 0).end();
  e.code(kAddressPc, 0x00ff'8000'0000'1000, 1, false).end();
  const Decoded decoded = decode(e.bytes());
  ASSERT_EQ(decoded.records.size(), 3U);
  EXPECT_EQ(decoded.records[0].pc(), 0xffff'8000'0000'1000U);
  EXPECT_EQ(decoded.records[1].pc(), 0x0000'ffff'0000'1000U);
  EXPECT_EQ(decoded.records[2].pc(), 0x00ff'8000'0000'1000U);  // secure: unchanged
  EXPECT_FALSE(decoded.records[2].non_secure());
}

TEST(Records, PaddingOfAnyLength) {
  for (usize padding = 0; padding < 40; ++padding) {
    SpeEncoder e;
    e.padding(padding).pc(0x1000).padding(padding).events(2).padding(padding).timestamp(5).padding(padding);
    const Decoded decoded = decode(e.bytes());
    ASSERT_EQ(decoded.records.size(), 1U) << padding;
    EXPECT_EQ(decoded.records[0].events(), 2U);
    EXPECT_FALSE(decoded.state.damage.any());
  }
}

TEST(Records, AlignmentIsRelativeToTheBuffer) {
  SpeEncoder e;
  e.padding(3).pc(0x1000).raw(0x25).raw(0);  // from position 12 to 64
  e.padding(50);
  e.events(2).end();
  Decoded decoded = decode(e.bytes());
  ASSERT_EQ(decoded.records.size(), 1U);
  EXPECT_EQ(decoded.records[0].events(), 2U);

  SpeEncoder skipping;  // the skipped bytes are not packets
  skipping.padding(60).raw(0x22).raw(0).raw(0xff).raw(0xff).pc(0x1000).end();
  decoded = decode(skipping.bytes());
  EXPECT_FALSE(decoded.state.damage.any()) << decoded.state.damage.bad_bytes;
  EXPECT_EQ(decoded.records.size(), 1U);
}

TEST(Records, FindsItsWayBehindBadBytes) {
  SpeEncoder e;
  e.pc(0x1000).raw(0xff).raw(0xff).events(2).raw(0xf0).end();
  e.pc(0x2000).end();
  const Decoded decoded = decode(e.bytes());
  ASSERT_EQ(decoded.records.size(), 2U);
  EXPECT_TRUE(decoded.records[0].damaged);
  EXPECT_EQ(decoded.records[0].pc(), 0x1000U);
  EXPECT_EQ(decoded.records[0].events(), 2U);
  EXPECT_FALSE(decoded.records[1].damaged);
  EXPECT_EQ(decoded.state.damage, (Damage{.bad_bytes = 3, .bad_places = 2, .damaged_records = 1}));
}

TEST(Records, TwoHalvesInOneAreDamaged) {
  SpeEncoder e;
  e.pc(0x1000).events(2).pc(0x2000).timestamp(1).pc(0x3000).timestamp(2);
  const Decoded decoded = decode(e.bytes());
  ASSERT_EQ(decoded.records.size(), 2U);
  EXPECT_TRUE(decoded.records[0].damaged);
  EXPECT_EQ(decoded.records[0].pc(), 0x2000U);  // the later address
  EXPECT_FALSE(decoded.records[1].damaged);
  EXPECT_EQ(decoded.state.damage, (Damage{.damaged_records = 1}));
}

TEST(Records, EmptyRecordsAreCounted) {
  SpeEncoder e;
  e.end().timestamp(7).padding(20).pc(0x1000).end();
  const Decoded decoded = decode(e.bytes());
  EXPECT_EQ(decoded.records.size(), 1U);
  EXPECT_EQ(decoded.state.damage, (Damage{.empty_records = 2}));
}

TEST(Records, PacketsWithoutAFieldAreCounted) {
  SpeEncoder e;
  e.pc(0x1000).context(3, 1).counter(5, 1).packet(0xb6, 1, 8).operation(3, 0).extended(0xb0, 31, 1, 8);
  e.extended(0x98, 9, 1, 2).events(2).padding(16).end();
  const Decoded decoded = decode(e.bytes());
  ASSERT_EQ(decoded.records.size(), 1U);
  EXPECT_EQ(decoded.state.passed_packets, 6U);
  EXPECT_FALSE(decoded.state.damage.any());
  EXPECT_FALSE(decoded.records[0].has(Field::operation));
  EXPECT_FALSE(decoded.records[0].damaged);
}

TEST(Records, WhatTheBufferCutsIsCountedAndForgotten) {
  const SpeEncoder e = full_record();
  DecodeState state;
  std::vector<Record> records;
  const auto keep = [&](const Record& r) { records.push_back(r); };
  const usize half = 40;  // inside an address
  const usize used = for_each_record(e.bytes().first(half), state, keep);
  EXPECT_LT(used, half);
  end_of_buffer(state, half - used);
  EXPECT_EQ(state.buffer_address, half);
  SpeEncoder next;
  next.events(4).end();
  end_of_buffer(state, next.size() - for_each_record(next.bytes(), state, keep));
  ASSERT_EQ(records.size(), 1U);
  EXPECT_FALSE(records[0].has(Field::pc));
  EXPECT_EQ(state.damage, (Damage{.cut_packets = 1, .unfinished_records = 1}));
}

TEST(Records, TheEncodedRecordsOfANeoverseCore) {
  SpeEncoder e;
  for (u32 i = 0; i < 3; ++i) {
    encode_neoverse_record({.operation_class = i,
                            .payload = i,
                            .pc = 0x1000 + i,
                            .address = 0x2000,
                            .issue_latency = 3,
                            .total_latency = 4,
                            .timestamp = 9},
                           e);
    ASSERT_EQ(e.size(), 64 * (i + 1));
  }
  const Decoded decoded = decode(e.bytes());
  ASSERT_EQ(decoded.records.size(), 3U);
  EXPECT_FALSE(decoded.state.damage.any());
  EXPECT_EQ(decoded.records[1].data_virtual(), 0x2000U);
  EXPECT_EQ(decoded.records[2].branch_target(), 0x2000U);
  EXPECT_TRUE(decoded.records[2].operation().indirect);
}

}  // namespace
}  // namespace wperf::spe
