// SPDX-License-Identifier: BSD-3-Clause
// Damaged recordings with the other byte order: records after the damage are read, as in other files.
#include "formats/perf_data/byte_order.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <set>

#include "formats/perf_data/perf_data_builder_test.h"

namespace wperf::perf_data {
namespace {

using test::Fields;

constexpr u64 kTurnedSamples = 2000, kTurnedHeader = 104, kTurnedAttributes = 136, kTurnedSample = 8 + 40;
constexpr u64 kFirstSample = kTurnedHeader + kTurnedAttributes + 16;

class SwappedBytes {
 public:
  template <class T>
  SwappedBytes& put(T value) {
    fields_.put(std::byteswap(value));
    return *this;
  }
  template <class T>
  SwappedBytes& all(std::initializer_list<T> values) {
    for (const T value : values) put(value);
    return *this;
  }
  SwappedBytes& text(std::string_view text) {
    fields_.text(text, text.size());
    return *this;
  }
  std::vector<std::byte> bytes() const { return fields_.all(); }

 private:
  Fields fields_;
};

void put_sample(SwappedBytes& out, u64 number) {
  out.put(u32{9}).put(u16{kUserMode}).put(static_cast<u16>(kTurnedSample));
  out.put(0x400000 + number).put(u32{7}).put(u32{8}).put(number).put(u64{1}).put(0x7f00'0000 + number);
}

// A recording in the other byte order. Each sample has one caller, whose address contains the sample's number.
std::vector<std::byte> turned_recording() {
  constexpr u64 kFields = kSampleIp | kSampleTid | kSampleTime | kSampleCallchain;
  SwappedBytes out;
  out.text("2ELIFREP")
      .all<u64>({kTurnedHeader, kTurnedAttributes + 16, kTurnedHeader, kTurnedAttributes + 16, kFirstSample});
  out.all<u64>({kTurnedSamples * kTurnedSample, 0, 0, 0, 0, 0, 0});
  out.all<u32>({1, kTurnedAttributes}).all<u64>({7, 4000, kFields, 0, 0});
  for (u64 word = 6; word < kTurnedAttributes / 8; ++word) out.put(u64{0});
  out.all<u64>({0, 0});
  for (u64 number = 1; number <= kTurnedSamples; ++number) put_sample(out, number);
  return out.bytes();
}

struct ReadRecords {
  std::set<u64> numbers;
  ReadStatistics statistics;
};

ReadRecords read_whole(const std::vector<std::byte>& bytes) {
  ReadRecords seen;
  EXPECT_TRUE(is_of_other_byte_order(bytes));
  const std::vector<std::byte> turned = in_native_order(bytes);
  const auto file = PerfFile::open(turned);
  EXPECT_TRUE(file.has_value());
  seen.statistics = file.value().for_each_record(Visitors{[&](const Sample& sample, const Record&) {
    EXPECT_EQ(sample.ip, 0x400000 + sample.time);
    EXPECT_EQ(sample.callchain.size(), 1u);
    EXPECT_EQ(sample.callchain[0], 0x7f00'0000 + sample.time);
    EXPECT_TRUE(seen.numbers.insert(sample.time).second);
  }});
  return seen;
}

TEST(SwappedWalk, NothingIsLostWithoutDamage) {
  const ReadRecords seen = read_whole(turned_recording());
  EXPECT_EQ(seen.numbers.size(), kTurnedSamples);
  EXPECT_EQ(seen.statistics.damaged_places(), 0);
}

TEST(SwappedWalk, GoesOnBehindABadPage) {
  constexpr usize kPage = 4096;
  for (const int fill : {0, 0xff, 0x5a, 9}) {
    std::vector<std::byte> bytes = turned_recording();
    std::fill_n(bytes.begin() + 5 * kPage, kPage, static_cast<std::byte>(fill));
    const ReadRecords seen = read_whole(bytes);
    EXPECT_GE(seen.numbers.size(), kTurnedSamples - kPage / kTurnedSample - 3) << fill;
    EXPECT_EQ(seen.statistics.damaged_places(), 1) << fill;
    EXPECT_GE(seen.statistics.damaged_bytes(), kPage - kTurnedSample) << fill;
    EXPECT_LE(seen.statistics.damaged_bytes(), kPage + 2 * kTurnedSample) << fill;
  }
}

TEST(SwappedWalk, GoesOnBehindAWrongSize) {
  for (const u16 size : {u16{0}, u16{4}, u16{8}, u16{65528}, u16{65535}, u16{12345}, u16{12000}}) {
    for (const u64 number : {u64{1}, u64{1000}, u64{1998}}) {
      std::vector<std::byte> bytes = turned_recording();
      const u16 turned = std::byteswap(size);
      std::memcpy(bytes.data() + kFirstSample + (number - 1) * kTurnedSample + 6, &turned, sizeof turned);
      const ReadRecords seen = read_whole(bytes);
      EXPECT_GE(seen.numbers.size(), kTurnedSamples - 2) << size << ' ' << number;
      EXPECT_EQ(seen.statistics.damaged_places(), 1) << size << ' ' << number;
      EXPECT_LE(seen.statistics.damaged_bytes(), 2 * kTurnedSample) << size << ' ' << number;
    }
  }
}

TEST(SwappedWalk, SaysHowMuchOfTheEndIsNoRecord) {
  std::vector<std::byte> bytes = turned_recording();
  bytes.resize(bytes.size() - kTurnedSample + 20);
  const ReadRecords seen = read_whole(bytes);
  EXPECT_EQ(seen.numbers.size(), kTurnedSamples - 1);
  EXPECT_EQ(seen.statistics.damaged_bytes(), 20);
  EXPECT_EQ(seen.statistics.damaged_places(), 1);
}

}  // namespace
}  // namespace wperf::perf_data
