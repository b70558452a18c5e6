// SPDX-License-Identifier: BSD-3-Clause
// Recordings with damage in the middle: the records after the damage are read, and no other bytes are taken for a
// record.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "formats/perf_data/perf_data_builder_test.h"

namespace wperf::perf_data {
namespace {

using test::Fields;
using test::FileBuilder;

constexpr u64 kWithIds = kSampleIdentifier | kSampleIp | kSampleTid | kSampleTime | kSampleCallchain;
constexpr u64 kWithoutIds = kSampleIp | kSampleTid | kSampleTime | kSampleCallchain;
constexpr u64 kId = 42;
constexpr u64 kSamples = 2000;

struct Recording {
  std::vector<std::byte> bytes;
  std::vector<u64> offsets;  // offsets of samples
};

// Samples of different lengths, with some other records in between. The time of each record is its number.
Recording recording(u64 sample_type) {
  FileBuilder builder;
  builder.event(test::attributes(sample_type), {kId});
  for (u64 number = 1; number <= kSamples; ++number) {
    Fields body;
    if ((sample_type & kSampleIdentifier) != 0) body.u64s({kId});
    body.u64s({0x400000 + number}).u32s({7, 8}).u64s({number, 1 + number % 9});
    for (u64 i = 0; i <= number % 9; ++i) body.u64s({0x7f00'0000'1000 + i * 16});
    builder.add(RecordType::sample, body, kUserMode);
    if (number % 50 != 0) continue;
    Fields comm;
    comm.u32s({7, 8}).text("worker").u32s({7, 8}).u64s({number});
    if ((sample_type & kSampleIdentifier) != 0) comm.u64s({kId});
    builder.add(RecordType::comm, comm).add(RecordType::finished_round, Fields());
  }
  Recording out{builder.build(), {}};
  const auto file = PerfFile::open(out.bytes);
  file.value().for_each_record(
      Visitors{[&](const Sample&, const Record& record) { out.offsets.push_back(record.file_offset); }});
  EXPECT_EQ(out.offsets.size(), kSamples);
  return out;
}

struct FoundRecords {
  std::set<u64> numbers;
  ReadStatistics statistics;
};

// Every sample that the reader returns must be one that was written.
FoundRecords read_all(const std::vector<std::byte>& bytes) {
  FoundRecords seen;
  const auto file = PerfFile::open(bytes);
  EXPECT_TRUE(file.has_value());
  seen.statistics = file.value().for_each_record(Visitors{[&](const Sample& sample, const Record&) {
    EXPECT_EQ(sample.ip, 0x400000 + sample.time);
    EXPECT_EQ(sample.callchain.size(), 1 + sample.time % 9);
    EXPECT_EQ(sample.callchain[sample.callchain.size() - 1], 0x7f00'0000'1000 + sample.time % 9 * 16);
    EXPECT_TRUE(seen.numbers.insert(sample.time).second);
  }});
  return seen;
}

void put_size(std::vector<std::byte>& bytes, u64 record, u16 size) {
  std::memcpy(bytes.data() + record + 6, &size, sizeof size);
}

class DamagedRecording : public testing::TestWithParam<u64> {};

TEST_P(DamagedRecording, IsWholeWithoutDamage) {
  const FoundRecords seen = read_all(recording(GetParam()).bytes);
  EXPECT_EQ(seen.numbers.size(), kSamples);
  EXPECT_EQ(seen.statistics.damaged_places(), 0);
  EXPECT_EQ(seen.statistics.damaged_bytes(), 0);
}

TEST_P(DamagedRecording, GoesOnBehindABadPage) {
  const Recording sound = recording(GetParam());
  constexpr usize kPage = 4096;
  for (const int fill : {0, 0xff, 0x5a, 9}) {
    for (const usize page : {usize{10}, sound.bytes.size() / kPage / 2, sound.bytes.size() / kPage - 2}) {
      std::vector<std::byte> bytes = sound.bytes;
      std::fill_n(bytes.begin() + static_cast<std::ptrdiff_t>(page * kPage), kPage, static_cast<std::byte>(fill));
      const auto lost = std::count_if(sound.offsets.begin(), sound.offsets.end(), [&](u64 offset) {
        // roughly: the sample is in the page or reaches into it
        return offset / kPage == page || (offset + 0xa0) / kPage == page;
      });
      const FoundRecords seen = read_all(bytes);
      EXPECT_GE(seen.numbers.size() + static_cast<usize>(lost) + 1, kSamples) << fill << ' ' << page;
      EXPECT_EQ(seen.statistics.damaged_places(), 1);
      EXPECT_GE(seen.statistics.damaged_bytes(), kPage - 0xa0);
      EXPECT_LE(seen.statistics.damaged_bytes(), kPage + 2 * 0xa0);
      EXPECT_FALSE(seen.statistics.stop.has_value());
    }
  }
}

TEST_P(DamagedRecording, GoesOnBehindAWrongSize) {
  const Recording sound = recording(GetParam());
  for (const u16 size : {u16{0}, u16{4}, u16{7}, u16{8}, u16{65528}, u16{65535}, u16{12345}}) {
    for (const usize sample : {usize{1}, usize{1000}, usize{1998}}) {
      std::vector<std::byte> bytes = sound.bytes;
      put_size(bytes, sound.offsets[sample], size);
      const FoundRecords seen = read_all(bytes);
      EXPECT_GE(seen.numbers.size(), kSamples - 2) << size << ' ' << sample;
      EXPECT_FALSE(seen.numbers.contains(sample + 1));
      EXPECT_EQ(seen.statistics.damaged_places(), 1) << size << ' ' << sample;
      EXPECT_LE(seen.statistics.damaged_bytes(), 2 * 0xa0) << size << ' ' << sample;
    }
  }
}

// Whatever the wrong size is, it hides no later records, not even if it ends where another record begins.
TEST_P(DamagedRecording, NoWrongSizeHidesManyRecords) {
  const Recording sound = recording(GetParam());
  const usize first = 100;
  for (usize next = first + 20; next < sound.offsets.size(); next += 37) {
    const u64 size = sound.offsets[next] - sound.offsets[first];
    if (size > 65535) break;
    std::vector<std::byte> bytes = sound.bytes;
    put_size(bytes, sound.offsets[first], static_cast<u16>(size));
    EXPECT_GE(read_all(bytes).numbers.size(), kSamples - 2) << size;
  }
}

TEST_P(DamagedRecording, ManyDamagedPlaces) {
  const Recording sound = recording(GetParam());
  std::vector<std::byte> bytes = sound.bytes;
  for (usize sample = 10; sample < kSamples; sample += 20) put_size(bytes, sound.offsets[sample], 0);
  const FoundRecords seen = read_all(bytes);
  EXPECT_GE(seen.numbers.size(), kSamples * 9 / 10);
  EXPECT_EQ(seen.statistics.damaged_places(), 100);
}

TEST_P(DamagedRecording, SaysHowMuchOfTheEndIsNoRecord) {
  const Recording sound = recording(GetParam());
  std::vector<std::byte> bytes = sound.bytes;
  bytes.resize(sound.offsets.back() + 20);
  const FoundRecords seen = read_all(bytes);
  EXPECT_EQ(seen.numbers.size(), kSamples - 1);
  EXPECT_EQ(seen.statistics.damaged_bytes(), 20);
  EXPECT_EQ(seen.statistics.damaged_places(), 1);
}

INSTANTIATE_TEST_SUITE_P(Layouts, DamagedRecording, testing::Values(kWithIds, kWithoutIds));

}  // namespace
}  // namespace wperf::perf_data
