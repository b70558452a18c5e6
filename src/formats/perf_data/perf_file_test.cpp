// SPDX-License-Identifier: BSD-3-Clause
#include "formats/perf_data/perf_file.h"

#include <gtest/gtest.h>

#include <string>

#include "formats/perf_data/perf_data_builder_test.h"

namespace wperf::perf_data {
namespace {

using test::Fields;
using test::FileBuilder;

constexpr u64 kPlainSamples = kSampleIp | kSampleTid | kSampleIdentifier;

Fields sample(u64 id, u64 ip) {
  return Fields().u64s({id, ip}).u32s({10, 11});
}

FileBuilder two_events() {
  FileBuilder builder;
  builder.event(test::attributes(kPlainSamples), {1, 2})
      .event(test::attributes(kPlainSamples | kSampleAddress), {3, 4});
  builder.add(RecordType::sample, sample(2, 0x100));
  builder.add(RecordType::sample, sample(3, 0x200).u64s({0x999}));
  return builder;
}

std::string error_of(const std::vector<std::byte>& bytes) {
  const auto file = PerfFile::open(bytes);
  if (file.has_value()) return {};
  EXPECT_EQ(file.error().code, diag::ExitCode::damaged_input);
  return file.error().text;
}

std::vector<Sample> samples_of(const PerfFile& file) {
  std::vector<Sample> samples;
  file.for_each_record(Visitors{[&](const Sample& one, const Record&) { samples.push_back(one); }});
  return samples;
}

TEST(PerfFile, SaysWhatItCannotRead) {
  EXPECT_NE(error_of({}).find("not a recording"), std::string::npos);
  EXPECT_NE(error_of(Fields().text("2ELIFREP", 200).all()).find("byte order"), std::string::npos);
  EXPECT_NE(error_of(Fields().text("PERFILE2", 8).all()).find("within its header"), std::string::npos);
  EXPECT_NE(error_of(Fields().text("PERFILE2", 8).u64s({104, 1}).all()).find("within its header"), std::string::npos);
  EXPECT_NE(error_of(Fields().text("PERFILE2", 8).u64s({20}).text("", 100).all()).find("20 bytes"), std::string::npos);
}

TEST(PerfFile, SaysWhichPartIsDamaged) {
  const auto with = [](usize offset, u64 value) {
    std::vector<std::byte> bytes = two_events().build();
    std::memcpy(bytes.data() + offset, &value, sizeof value);
    return bytes;
  };
  EXPECT_NE(error_of(with(16, 79)).find("an event as 79 bytes"), std::string::npos);
  EXPECT_NE(error_of(with(24, 1u << 20)).find("list of events"), std::string::npos);
  EXPECT_NE(error_of(with(32, ~u64{0})).find("list of events"), std::string::npos);
  EXPECT_NE(error_of(with(40, 1u << 20)).find("truncated"), std::string::npos);
  EXPECT_EQ(error_of(with(48, 1u << 20)), "") << "the records there are can be read";
  // the ids of the first event: the last 16 bytes of its entry
  const usize section = 104 + 32 + 136;
  EXPECT_NE(error_of(with(section, ~u64{0})).find("ids of event 0"), std::string::npos);
  EXPECT_NE(error_of(with(section + 8, ~u64{0})).find("ids of event 0"), std::string::npos);
}

TEST(PerfFile, TellsEventsApartByTheirIds) {
  const std::vector<std::byte> bytes = two_events().add(RecordType::sample, sample(77, 0)).build();
  const auto file = PerfFile::open(bytes);
  ASSERT_TRUE(file.has_value());
  EXPECT_EQ(file.value().attrs().size(), 2);
  const std::vector<Sample> samples = samples_of(file.value());
  ASSERT_EQ(samples.size(), 2);
  EXPECT_EQ(samples[0].event, 0);
  EXPECT_EQ(samples[0].period, 4000) << "a fixed period is not in the sample";
  EXPECT_EQ(samples[1].event, 1);
  EXPECT_EQ(samples[1].address, 0x999);
  const ReadStatistics statistics = file.value().for_each_record(Visitors{[](const Sample&, const Record&) {}});
  EXPECT_EQ(statistics.of_unknown_event, 1);
  EXPECT_EQ(statistics.all_damaged(), 1);
}

TEST(PerfFile, ReadsTheTrailerByTheEventItIsOf) {
  FileBuilder builder;
  const u64 with_time = kPlainSamples | kSampleTime;
  builder.event(test::attributes(kPlainSamples), {1}).event(test::attributes(with_time), {3});
  const Fields comm = Fields().u32s({5, 6}).text("name");
  builder.add(RecordType::comm, Fields(comm).u32s({10, 11}).u64s({1}));
  builder.add(RecordType::comm, Fields(comm).u32s({10, 11}).u64s({99, 3}));
  builder.add(RecordType::comm, Fields(comm).u64s({0, 0}));
  const std::vector<std::byte> bytes = builder.build();
  const auto file = PerfFile::open(bytes);
  std::vector<u64> times;
  file.value().for_each_record(Visitors{[&](const Comm& one, const Record&) {
    EXPECT_EQ(one.name, "name");
    times.push_back(one.identity.time);
  }});
  EXPECT_EQ(times, (std::vector<u64>{0, 99, 0}));
}

TEST(PerfFile, FindsIdsThatDoNotStandInFront) {
  FileBuilder builder;
  const u64 type = kSampleIp | kSampleTid | kSampleTime | kSampleId | kSampleCpu;
  builder.event(test::attributes(type), {1}).event(test::attributes(type | kSamplePeriod), {2});
  builder.add(RecordType::sample, Fields().u64s({0x100}).u32s({10, 11}).u64s({5, 2}).u32s({3, 0}).u64s({6}));
  const std::vector<std::byte> bytes = builder.build();
  const auto file = PerfFile::open(bytes);
  const std::vector<Sample> samples = samples_of(file.value());
  ASSERT_EQ(samples.size(), 1);
  EXPECT_EQ(samples[0].event, 1);
  EXPECT_EQ(samples[0].period, 6);
}

TEST(PerfFile, ReadsFeatures) {
  const auto string = [](std::string_view text) {
    return Fields().u32s({static_cast<u32>(text.size() / 8 * 8 + 8)}).text(text);
  };
  FileBuilder builder = two_events();
  builder.feature(Feature::host_name, string("altra")).feature(Feature::cpu_id, string("0x00000000413fd0c1"));
  builder.feature(Feature::cpu_count, Fields().u32s({80, 64})).feature(Feature::total_memory, Fields().u64s({1000}));
  builder.feature(Feature::command_line, Fields().u32s({2}).bytes(string("perf").all()).bytes(string("record").all()));
  builder.feature(Feature::pmu_mappings, Fields().u32s({1, 8}).bytes(string("arm_spe_0").all()));
  Fields kinds = Fields().u32s({2}).bytes(string("cpu_core").all()).bytes(string("0-3").all());
  kinds.bytes(string("cpu_atom").all()).bytes(string("4-7").all());
  builder.feature(Feature::hybrid_topology, kinds);
  builder.feature(Feature::sample_time, Fields().u64s({5, 9}));
  builder.feature(Feature::clock_data, Fields().u32s({1, 4}).u64s({1000, 10}));
  builder.feature(Feature::compressed, Fields().u32s({1, 1, 3, 4, 65536}));
  builder.feature(Feature::auxtrace_index, Fields().u64s({1, 400, 80}));
  builder.feature(Feature::group_descriptions, Fields().u32s({1}).bytes(string("g").all()).u32s({0, 2}));
  Fields descriptions = Fields().u32s({2, 136});
  descriptions.bytes(test::attributes(1).all()).u32s({2}).bytes(string("cycles").all()).u64s({1, 2});
  descriptions.bytes(test::attributes(1).all()).u32s({2}).bytes(string("misses").all()).u64s({3, 4});
  builder.feature(Feature::event_descriptions, descriptions);
  const Fields id = Fields().u32s({10}).text("abcd", 20).u32s({4}).text("/bin/sh");
  builder.feature(Feature::build_ids, test::record(RecordType::header_build_id, id, kMiscBuildIdSize));

  for (const std::vector<std::byte>& bytes : {builder.build(), builder.build_pipe()}) {
    const auto file = PerfFile::open(bytes);
    ASSERT_TRUE(file.has_value());
    const Features& features = file.value().features();
    EXPECT_EQ(features.present().size(), 14);
    EXPECT_EQ(features.text(Feature::host_name), "altra");
    EXPECT_EQ(features.text(Feature::os_release), "");
    EXPECT_EQ(features.text(Feature::cpu_id), "0x00000000413fd0c1");
    EXPECT_EQ(features.cpu_count()->online, 64);
    EXPECT_EQ(features.total_memory(), 1024000);
    EXPECT_EQ(features.command_line(), (std::vector<std::string_view>{"perf", "record"}));
    EXPECT_EQ(features.pmu_mappings().at(0).name, "arm_spe_0");
    ASSERT_EQ(features.core_pmus().size(), 2);
    EXPECT_EQ(features.core_pmus()[1].name, "cpu_atom");
    EXPECT_EQ(features.core_pmus()[1].cores, "4-7");
    EXPECT_EQ(features.sample_time()->last, 9);
    EXPECT_EQ(features.clock_data()->wall_clock_ns, 1000);
    EXPECT_EQ(features.compression()->buffer_size, 65536);
    EXPECT_EQ(features.auxtrace_index().at(0).size, 80);
    EXPECT_EQ(features.group_descriptions().at(0).members, 2);
    EXPECT_EQ(features.build_ids().at(0).file, "/bin/sh");
    EXPECT_EQ(features.event_descriptions().at(1).ids[1], 4);
    EXPECT_EQ(file.value().attrs()[1].name, "misses");
    EXPECT_EQ(samples_of(file.value()).size(), 2);
  }
}

TEST(PerfFile, ReadsWhatIsThereOfAnUnfinishedFile) {
  const std::vector<std::byte> bytes = two_events().unfinished().build();
  const auto file = PerfFile::open(bytes);
  ASSERT_TRUE(file.has_value());
  EXPECT_TRUE(file.value().is_unfinished());
  EXPECT_EQ(samples_of(file.value()).size(), 2);
}

TEST(PerfFile, StopsWhereTheNextRecordCannotBeFound) {
  FileBuilder builder = two_events();
  builder.raw(Fields().u32s({9}).u16s({0, 7}).u64s({0, 0, 0}));
  const std::vector<std::byte> bytes = builder.build();
  const auto file = PerfFile::open(bytes);
  const ReadStatistics statistics = file.value().for_each_record(Visitors{[](const Sample&, const Record&) {}});
  EXPECT_EQ(statistics.records, 2);
  ASSERT_TRUE(statistics.stop.has_value());
  EXPECT_EQ(statistics.stop->reason, StopReason::record_too_small);
  EXPECT_EQ(statistics.stop->bytes, 32);
  EXPECT_EQ(statistics.damaged_places(), 1);

  std::vector<std::byte> cut = two_events().build();
  cut.resize(cut.size() - 4);
  const auto shorter = PerfFile::open(cut);
  EXPECT_TRUE(shorter.value().is_cut());
  const ReadStatistics short_aggregator = shorter.value().for_each_record([](const Record&) {});
  EXPECT_EQ(short_aggregator.records, 1);
  ASSERT_TRUE(short_aggregator.stop.has_value());
  EXPECT_EQ(short_aggregator.stop->reason, StopReason::record_cut);
}

TEST(PerfFile, CountsWhatItDoesNotKnow) {
  FileBuilder builder = two_events();
  for (u32 type = 200; type < 300; ++type) builder.add(static_cast<RecordType>(type), Fields().u64s({1}));
  builder.add(static_cast<RecordType>(200), Fields()).add(RecordType::compressed, Fields().u64s({1}));
  const std::vector<std::byte> bytes = builder.build();
  const auto file = PerfFile::open(bytes);
  const ReadStatistics statistics = file.value().for_each_record([](const Record&) {});
  EXPECT_EQ(statistics.records, 104);
  EXPECT_EQ(statistics.unknown.size(), ReadStatistics::kMostUnknown);
  EXPECT_EQ(statistics.unknown.front(), (std::pair<u32, u64>{200, 2}));
  EXPECT_EQ(statistics.of_further_unknown, 100 - ReadStatistics::kMostUnknown);
  EXPECT_EQ(statistics.compressed(), 1);
  EXPECT_EQ(statistics.all_damaged(), 0);
}

TEST(PerfFile, StepsOverTheDataBehindARecord) {
  FileBuilder builder = two_events();
  builder.add(RecordType::header_tracing_data, Fields().u32s({16, 0})).raw(Fields().u64s({~u64{0}, ~u64{0}}));
  builder.add(RecordType::sample, sample(1, 0x300));
  const std::vector<std::byte> bytes = builder.build();
  const auto file = PerfFile::open(bytes);
  EXPECT_EQ(samples_of(file.value()).size(), 3);
  usize size = 0;
  file.value().for_each_record(Visitors{[&](const TracingData& data, const Record&) { size = data.data.size(); }});
  EXPECT_EQ(size, 16);
}

}  // namespace
}  // namespace wperf::perf_data
