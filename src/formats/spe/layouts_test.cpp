// SPDX-License-Identifier: BSD-3-Clause
// Decoding with learned layouts and decoding without any give the same result.
#include "formats/spe/layouts.h"

#include <gtest/gtest.h>

#include "formats/spe/spe_encoder.h"
#include "formats/spe/test_bytes.h"

namespace wperf::spe {
namespace {

class Numbers {
 public:
  u32 below(u32 limit) {
    state_ = state_ * 6364136223846793005U + 1442695040888963407U;
    return static_cast<u32>((state_ >> 33) % limit);
  }
  u64 any() {
    return u64{below(1U << 31)} << 33 ^ u64 { below(1U << 31) } << 8 ^ below(256);
  }

 private:
  u64 state_ = 7;
};

// A record with random packets in one of a few orders, so that layouts recur.
void add_record(SpeEncoder& e, Numbers& numbers) {
  const u32 kind = numbers.below(12);
  Numbers order = Numbers{};  // the same for all records of one kind
  for (u32 i = 0; i < kind; ++i) order.below(2);
  for (u32 i = 0; i < 9; ++i) {
    switch (order.below(10)) {
      case 0:
        e.pc(numbers.any(), numbers.below(3));
        break;
      case 1:
        e.operation(order.below(3), numbers.below(256));
        break;
      case 2:
        e.events(numbers.any(), order.below(4));
        break;
      case 3:
        e.counter(order.below(3), numbers.below(4096));
        break;
      case 4:
        e.source(numbers.any(), order.below(2));
        break;
      case 5:
        e.context(1 + order.below(2), numbers.below(1U << 31));
        break;
      case 6:
        e.data(numbers.any());
        break;
      case 7:
        e.padding(order.below(9));
        break;
      case 8:
        e.target(numbers.any());
        break;
      default:
        break;
    }
  }
  if (numbers.below(200) == 0) e.raw(numbers.below(256));
  if (order.below(2) == 0) {
    e.timestamp(numbers.any());
  } else {
    e.end();
  }
}

TEST(Layouts, ChangeNothing) {
  SpeEncoder e;
  Numbers numbers;
  for (u32 i = 0; i < 20'000; ++i) add_record(e, numbers);
  const Decoded quick = decode(e.bytes());

  DecodeState state;
  std::vector<Record> records;
  const auto bytes = e.bytes();
  usize at = 0;
  while (at < bytes.size()) {  // packet by packet, without known layouts
    state.layouts = {};
    const usize piece = std::min<usize>(bytes.size() - at, 9);
    const usize used = for_each_record(bytes.subspan(at, piece), state, [&](const Record& r) { records.push_back(r); });
    if (used == 0) break;
    at += used;
  }
  end_of_buffer(state, bytes.size() - at);
  EXPECT_EQ(records.size(), quick.records.size());
  EXPECT_GT(records.size(), 15'000U);
  for (usize i = 0; i < std::min(records.size(), quick.records.size()); ++i) {
    records[i].words[Record::kSpare] = quick.records[i].words[Record::kSpare];
    ASSERT_EQ(records[i], quick.records[i]) << i;
  }
  EXPECT_EQ(state.damage, quick.state.damage);
  EXPECT_EQ(state.buffer_address, quick.state.buffer_address);
  EXPECT_EQ(state.records, quick.state.records);
}

TEST(Layouts, AreLearnedAndForgotten) {
  detail::Layouts layouts;
  SpeEncoder e;
  encode_neoverse_record({.operation_class = kClassMemory, .pc = 0x1000, .address = 0x2000, .timestamp = 1}, e);
  encode_neoverse_record({.operation_class = kClassMemory, .pc = 0x3000, .events = 0x16, .timestamp = 2}, e);
  encode_neoverse_record({.operation_class = kClassBranch, .pc = 0x3000, .timestamp = 3}, e);
  const auto record = [&](usize i) { return std::span(reinterpret_cast<const u8*>(e.bytes().data()) + i * 64, 64); };
  EXPECT_EQ(layouts.find(record(0).data()), nullptr);
  layouts.learn(record(0));
  EXPECT_NE(layouts.find(record(1).data()), nullptr);
  EXPECT_EQ(layouts.find(record(2).data()), nullptr);
  SpeEncoder other;
  for (u32 i = 0; i < 2000; ++i) {  // more layouts than fit, so the oldest is replaced
    other.clear();
    other.padding(i % 50).end();
    other.clear();
    other.pc(1).padding(i % 40).end();
    layouts.learn({reinterpret_cast<const u8*>(other.bytes().data()), other.size()});
  }
  EXPECT_EQ(layouts.find(record(1).data()), nullptr);
}

// A store and a load of a Neoverse core differ only in the padding, where a load has its data source.
TEST(Layouts, PaddingIsPartOfThem) {
  SpeEncoder e;
  for (u32 i = 0; i < 6; ++i) {
    const bool load = i >= 2;
    encode_neoverse_record({.operation_class = kClassMemory, .payload = load ? 0U : 1U, .pc = 1, .source = 0xe}, e);
  }
  const Decoded decoded = decode(e.bytes());
  ASSERT_EQ(decoded.records.size(), 6U);
  for (u32 i = 0; i < 6; ++i) EXPECT_EQ(decoded.records[i].data_source(), i >= 2 ? 0xeU : 0U) << i;
  EXPECT_FALSE(decoded.state.damage.any());
}

TEST(Layouts, NothingIsLearnedFromOddRecords) {
  for (const char* hex :
       {"b9 01", "20 b0 00 10 00 00 00 00 00 80 01", "42 01 42 02 01", "71 00 00 00 00 00 00 00 00"}) {
    detail::Layouts layouts;
    std::vector<std::byte> bytes = bytes_of(hex);
    const usize size = bytes.size();
    bytes.resize(128);
    layouts.learn({reinterpret_cast<const u8*>(bytes.data()), size});
    EXPECT_EQ(layouts.find(reinterpret_cast<const u8*>(bytes.data())), nullptr) << hex;
  }
}

}  // namespace
}  // namespace wperf::spe
