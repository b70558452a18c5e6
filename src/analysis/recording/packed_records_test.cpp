// SPDX-License-Identifier: BSD-3-Clause
// Damaged compressed recordings: all data that can be unpacked must be unpacked, and lost data must be counted. The
// pieces are Zstandard blocks with uncompressed bytes, so that writing them needs no library.
#include "analysis/recording/packed_records.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "formats/perf_data/byte_order.h"
#include "formats/perf_data/perf_data_builder_test.h"

namespace wperf::recording {
namespace {

using Bytes = bytes::Span;
using perf_data::Feature;
using perf_data::PerfFile;
using perf_data::Record;
using perf_data::RecordType;
using perf_data::test::Fields;
using perf_data::test::FileBuilder;

constexpr u64 kPackedSamples = 300, kInPiece = 10;

Fields packed_sample(u64 number) {
  Fields body;
  body.u64s({0x400000 + number}).u32s({7, 8}).u64s({number});
  return perf_data::test::record(RecordType::sample, body, perf_data::kUserMode);
}

// A block of a frame, preceded by the frame's header if it is the first block.
Fields piece(Bytes bytes, bool begins_frame, bool ends_frame) {
  Fields out;
  if (begins_frame) out.put(u32{0xfd2fb528}).put(u8{0}).put(u8{0x48});
  const u32 header = static_cast<u32>(bytes.size()) << 3 | (ends_frame ? 1 : 0);
  out.put(static_cast<u16>(header)).put(static_cast<u8>(header >> 16)).bytes(bytes);
  return out;
}

enum class Frames : u8 { one, each };

struct Packed {
  std::vector<std::byte> bytes;
  std::vector<u64> records;  // positions of the records
};

// Packed pieces with lengths that are not multiples of 8, and an unpacked record between two of them. `Frames::each`:
// each piece can be unpacked separately.
Packed packed(Frames frames) {
  FileBuilder builder;
  builder.event(
      perf_data::test::attributes(perf_data::kSampleIp | perf_data::kSampleTid | perf_data::kSampleTime, 0, 0));
  builder.feature(Feature::compressed, Fields().u32s({1, 1, 1, 4, 0}));
  Fields all;
  for (u64 number = 1; number <= kPackedSamples; ++number) all.bytes(packed_sample(number).all());
  const usize size = all.size() / (kPackedSamples / kInPiece) + 1;  // so that records are cut
  for (usize at = 0; at < all.size(); at += size) {
    const Bytes bytes = Bytes(all.all()).subspan(at, std::min(size, all.size() - at));
    const bool alone = frames == Frames::each;
    builder.add(RecordType::compressed, piece(bytes, alone || at == 0, alone));
    builder.add(RecordType::finished_round, Fields());
  }
  Packed out{builder.build(), {}};
  const auto file = PerfFile::open(out.bytes);
  perf_data::RecordStream stream = file.value().records();
  for (Record record; stream.next(record);) {
    if (perf_data::is_packed(record.kind())) out.records.push_back(record.file_offset);
  }
  return out;
}

struct Unpacked {
  std::set<u64> numbers;
  UnpackedRecords unpacked;
  perf_data::ReadStatistics statistics;
};

Unpacked read_packed(const std::vector<std::byte>& bytes, PackedOrder order = PackedOrder::native) {
  Unpacked seen;
  auto file = PerfFile::open(bytes);
  EXPECT_TRUE(file.has_value());
  EXPECT_TRUE(has_packed_records(file.value()));
  auto unpacked = unpack_records(file.value(), bytes.size(), order);
  EXPECT_TRUE(unpacked.has_value());
  seen.unpacked = std::move(unpacked).value();
  file.value().replace_records(seen.unpacked.bytes, seen.unpacked.damage);
  seen.statistics =
      file.value().for_each_record(perf_data::Visitors{[&](const perf_data::Sample& sample, const Record&) {
        EXPECT_EQ(sample.ip, 0x400000 + sample.time);
        EXPECT_TRUE(seen.numbers.insert(sample.time).second);
      }});
  return seen;
}

bool has_libzstd() {
  const Packed sound = packed(Frames::one);
  const auto file = PerfFile::open(sound.bytes);
  return unpack_records(file.value(), sound.bytes.size(), PackedOrder::native).has_value();
}

class DamagedPackedRecords : public testing::Test {
 protected:
  void SetUp() override {
    if (!has_libzstd()) GTEST_SKIP() << "no libzstd here";
  }
};

TEST_F(DamagedPackedRecords, AreWholeWithoutDamage) {
  for (const Frames frames : {Frames::one, Frames::each}) {
    const Unpacked seen = read_packed(packed(frames).bytes);
    EXPECT_EQ(seen.numbers.size(), kPackedSamples);
    EXPECT_EQ(seen.statistics.damaged_places(), 0);
    EXPECT_EQ(seen.unpacked.lost_bytes, 0);
  }
}

TEST_F(DamagedPackedRecords, AreFoundWhereTheHeaderNamesNoFeature) {
  Packed sound = packed(Frames::one);
  constexpr std::ptrdiff_t kFeatureBitsAt = 72;
  std::fill_n(sound.bytes.begin() + kFeatureBitsAt, 32, std::byte{0});
  EXPECT_EQ(read_packed(sound.bytes).numbers.size(), kPackedSamples);
}

// If the size of a packed record is damaged, the next record may begin at any byte.
TEST_F(DamagedPackedRecords, DamageBetweenThemCostsNone) {
  for (const Frames frames : {Frames::one, Frames::each}) {
    Packed sound = packed(frames);
    for (const usize at : {usize{3}, usize{17}}) {
      std::fill_n(sound.bytes.begin() + static_cast<std::ptrdiff_t>(sound.records[at] - 8), 8, std::byte{0x5a});
    }
    const Unpacked seen = read_packed(sound.bytes);
    EXPECT_EQ(seen.numbers.size(), kPackedSamples);
    EXPECT_EQ(seen.statistics.damaged_places(), 2);
    EXPECT_EQ(seen.statistics.damaged_bytes(), 16);
    EXPECT_EQ(seen.unpacked.lost_bytes, 0);
  }
}

TEST_F(DamagedPackedRecords, GoOnWhereAFrameBegins) {
  Packed sound = packed(Frames::each);
  sound.bytes[sound.records[5] + 8 + 6] = std::byte{7};  // a block type that does not exist
  const Unpacked seen = read_packed(sound.bytes);
  EXPECT_GE(seen.numbers.size(), kPackedSamples - kInPiece - 2);
  EXPECT_LT(seen.numbers.size(), kPackedSamples);
  EXPECT_EQ(seen.statistics.damaged_places(), 1);
  EXPECT_GT(seen.unpacked.lost_bytes, 8 * kInPiece);
  EXPECT_EQ(seen.statistics.damaged_bytes(), seen.unpacked.lost_bytes);
}

TEST_F(DamagedPackedRecords, OfOneFrameAreLostBehindTheDamageAndCounted) {
  Packed sound = packed(Frames::one);
  sound.bytes[sound.records[5] + 8] = std::byte{7};
  const Unpacked seen = read_packed(sound.bytes);
  EXPECT_GE(seen.numbers.size(), 5 * kInPiece - 1);
  EXPECT_LE(seen.numbers.size(), 6 * kInPiece);
  EXPECT_EQ(seen.statistics.damaged_places(), 1);
  const u64 behind = sound.bytes.size() - sound.records[5];
  EXPECT_GT(seen.unpacked.lost_bytes, behind * 3 / 4);
  EXPECT_LT(seen.unpacked.lost_bytes, behind);
  EXPECT_NEAR(static_cast<double>(seen.unpacked.damage.records_about),
              static_cast<double>(kPackedSamples - 5 * kInPiece), 30);
  // these records were not compressed
  EXPECT_EQ(seen.statistics.of(RecordType::finished_round), kPackedSamples / kInPiece);
}

// A missing piece breaks the stream: later pieces would be unpacked to wrong data.
TEST_F(DamagedPackedRecords, NothingIsMadeUpBehindAPieceThatIsGone) {
  Packed sound = packed(Frames::one);
  std::fill(sound.bytes.begin() + static_cast<std::ptrdiff_t>(sound.records[5]),
            sound.bytes.begin() + static_cast<std::ptrdiff_t>(sound.records[6]), std::byte{0});
  const Unpacked seen = read_packed(sound.bytes);
  EXPECT_LE(*seen.numbers.rbegin(), 5 * kInPiece);
  EXPECT_EQ(seen.statistics.damaged_places(), 1);
  EXPECT_GT(seen.unpacked.lost_bytes, 0);
}

TEST_F(DamagedPackedRecords, TruncatedLastRecordIsReported) {
  Packed sound = packed(Frames::one);
  Fields tail;
  tail.bytes(Bytes(sound.bytes).subspan(sound.records.back()));
  std::vector<std::byte> bytes(sound.bytes.begin(),
                               sound.bytes.begin() + static_cast<std::ptrdiff_t>(sound.records.back()));
  const u64 size = bytes.size() - 104 - 152;  // size of the records: without the header and one event
  std::memcpy(bytes.data() + 48, &size, sizeof size);
  const Unpacked seen = read_packed(bytes);
  EXPECT_EQ(seen.statistics.damaged_places(), 1);
}

}  // namespace
}  // namespace wperf::recording
