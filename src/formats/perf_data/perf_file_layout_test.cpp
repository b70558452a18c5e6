// SPDX-License-Identifier: BSD-3-Clause
// formats/perf_data reads back the written file, field by field.
#include "formats/perf_data/perf_file_layout.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "formats/perf_data/byte_writing.h"
#include "formats/perf_data/perf_file.h"
#include "formats/perf_data/record_bytes.h"

namespace wperf::perf_data {
namespace {

using perf_data::Feature;
using perf_data::PerfFile;

constexpr u64 kWrittenSampleType = perf_data::kSampleIp | perf_data::kSampleTid | perf_data::kSampleId;

bytes::Span bytes_of(const std::string& text) {
  return std::as_bytes(std::span(text));
}

std::string attributes(u64 config, usize size) {
  std::string bytes;
  put(bytes, u32{4});
  put(bytes, static_cast<u32>(size));
  put(bytes, config);
  put(bytes, u64{1000});
  put(bytes, kWrittenSampleType);
  bytes.resize(size, '\0');
  return bytes;
}

std::vector<WrittenEvent> two_written_events() {
  return {{.name = "ld_spec", .attributes = attributes(0x70, 64), .ids = {11, 12, 13}},
          {.name = "a name that is longer than the sixty-four characters perf pads its texts to",
           .attributes = attributes(0x71, 136),
           .ids = {21}}};
}

std::string three_samples() {
  std::string records;
  u64 ip = 0x1000;
  for (const u64 id : {11, 12, 21})
    append_sample(records, {.sample_type = kWrittenSampleType, .id = id, .ip = ip++, .pid = 5});
  return records;
}

RecordingFacts all_facts() {
  RecordingFacts facts;
  facts.host_name = "host";
  facts.os_release = "6.1";
  facts.version = "wperf 1";
  facts.architecture = "aarch64";
  facts.cpu_description = "Neoverse";
  facts.cpu_id = "0x00000000413fd0c1";
  facts.cores_online = 3;
  facts.cores_available = 4;
  facts.memory_bytes = u64{7} << 20;
  facts.command_line = {"wperf", "record", ""};
  facts.build_ids = {{.id = std::string(20, '\x11'), .path = "[kernel.kallsyms]", .kernel = true},
                     {.id = "12345678", .path = "/usr/bin/program"}};
  facts.units = {{4, "armv8_pmuv3_0"}, {8, "dsu"}};
  facts.first_sample_ns = 100;
  facts.last_sample_ns = 900;
  put(facts.auxtrace_index, u64{1});
  put(facts.auxtrace_index, u64{0x1234});
  put(facts.auxtrace_index, u64{0x56});
  return facts;
}

std::string finished_file(std::span<const WrittenEvent> events, const std::string& records,
                          const RecordingFacts& facts) {
  std::string file = file_beginning(events) + records;
  const FileEnding ending = file_ending(events, records.size(), facts);
  file.replace(0, ending.header.size(), ending.header);
  return file + ending.tail;
}

u64 samples_in(const PerfFile& file) {
  u64 samples = 0;
  const perf_data::ReadStatistics statistics =
      file.for_each_record(perf_data::Visitors{[&](const perf_data::Sample&, const perf_data::Record&) { ++samples; }});
  EXPECT_EQ(statistics.of_unknown_event + statistics.all_damaged(), 0u);
  return samples;
}

TEST(PerfFileLayout, EventsAreReadBack) {
  const std::string file = finished_file(two_written_events(), three_samples(), {});
  auto opened = PerfFile::open(bytes_of(file));
  ASSERT_TRUE(opened.has_value()) << opened.error().text;
  EXPECT_FALSE(opened.value().is_cut());
  EXPECT_FALSE(opened.value().is_unfinished());
  const auto& events = opened.value().attrs();
  ASSERT_EQ(events.size(), 2u);
  EXPECT_EQ(events[0].name, "ld_spec");
  EXPECT_EQ(events[0].attributes.type, 4u);
  EXPECT_EQ(events[0].attributes.config, 0x70u);
  EXPECT_EQ(events[0].attributes.period_or_frequency, 1000u);
  EXPECT_EQ(events[0].attributes.size, 136u) << "all have the size of the longest";
  EXPECT_EQ(events[0].ids, (std::vector<u64>{11, 12, 13}));
  EXPECT_EQ(events[1].name, two_written_events()[1].name);
  EXPECT_EQ(events[1].attributes.config, 0x71u);
  EXPECT_EQ(events[1].ids, (std::vector<u64>{21}));
  std::vector<u32> events_of_samples;
  opened.value().for_each_record(perf_data::Visitors{[&](const perf_data::Sample& sample, const perf_data::Record&) {
    EXPECT_EQ(sample.ip, 0x1000 + events_of_samples.size());
    EXPECT_EQ(sample.pid, 5u);
    events_of_samples.push_back(sample.event);
  }});
  EXPECT_EQ(events_of_samples, (std::vector<u32>{0, 0, 1}));
}

TEST(PerfFileLayout, SeveralKindsOfCoresAreReadBack) {
  RecordingFacts facts = all_facts();
  facts.core_units = {{"armv8_cortex_a55", "0-3"}};
  const std::string alike = finished_file(two_written_events(), three_samples(), facts);
  EXPECT_FALSE(PerfFile::open(bytes_of(alike)).value().features().has(Feature::hybrid_topology));
  facts.core_units.emplace_back("armv8_cortex_a76", "4,6-7");
  const std::string file = finished_file(two_written_events(), three_samples(), facts);
  const PerfFile opened = PerfFile::open(bytes_of(file)).value();
  const std::vector<perf_data::CorePmu> kinds = opened.features().core_pmus();
  ASSERT_EQ(kinds.size(), 2u);
  EXPECT_EQ(kinds[0].name, "armv8_cortex_a55");
  EXPECT_EQ(kinds[0].cores, "0-3");
  EXPECT_EQ(kinds[1].name, "armv8_cortex_a76");
  EXPECT_EQ(kinds[1].cores, "4,6-7");
}

TEST(PerfFileLayout, FeaturesAreReadBack) {
  const std::string file = finished_file(two_written_events(), three_samples(), all_facts());
  const PerfFile opened = PerfFile::open(bytes_of(file)).value();
  const perf_data::Features& features = opened.features();
  EXPECT_EQ(features.text(Feature::host_name), "host");
  EXPECT_EQ(features.text(Feature::os_release), "6.1");
  EXPECT_EQ(features.text(Feature::perf_version), "wperf 1");
  EXPECT_EQ(features.text(Feature::architecture), "aarch64");
  EXPECT_EQ(features.text(Feature::cpu_description), "Neoverse");
  EXPECT_EQ(features.text(Feature::cpu_id), "0x00000000413fd0c1");
  EXPECT_EQ(features.cpu_count()->online, 3u);
  EXPECT_EQ(features.cpu_count()->available, 4u);
  EXPECT_EQ(features.total_memory(), u64{7} << 20);
  EXPECT_EQ(features.command_line(), (std::vector<std::string_view>{"wperf", "record", ""}));
  EXPECT_EQ(features.sample_time()->first, 100u);
  EXPECT_EQ(features.sample_time()->last, 900u);
  ASSERT_EQ(features.pmu_mappings().size(), 2u);
  EXPECT_EQ(features.pmu_mappings()[1].type, 8u);
  EXPECT_EQ(features.pmu_mappings()[1].name, "dsu");
  ASSERT_EQ(features.auxtrace_index().size(), 1u);
  EXPECT_EQ(features.auxtrace_index()[0].file_offset, 0x1234u);
  ASSERT_EQ(features.event_descriptions().size(), 2u);
  EXPECT_EQ(features.event_descriptions()[0].ids.size(), 3u);
}

TEST(PerfFileLayout, BuildIdsAreReadBack) {
  const std::string file = finished_file(two_written_events(), three_samples(), all_facts());
  const PerfFile opened = PerfFile::open(bytes_of(file)).value();
  const auto ids = opened.features().build_ids();
  ASSERT_EQ(ids.size(), 2u);
  EXPECT_EQ(ids[0].misc & perf_data::kMiscCpuMode, 1);
  EXPECT_EQ(ids[0].id.size(), 20u);
  EXPECT_EQ(ids[0].file, "[kernel.kallsyms]");
  EXPECT_EQ(ids[1].misc & perf_data::kMiscCpuMode, 2);
  EXPECT_EQ(ids[1].id.size(), 8u);
  EXPECT_EQ(ids[1].file, "/usr/bin/program");
  EXPECT_EQ(ids[1].pid, ~u32{0});
}

TEST(PerfFileLayout, WhatIsNotKnownIsLeftOut) {
  const std::string file = finished_file(two_written_events(), three_samples(), {});
  const PerfFile opened = PerfFile::open(bytes_of(file)).value();
  EXPECT_EQ(opened.features().present(), (std::vector<u32>{static_cast<u32>(Feature::event_descriptions)}));
}

TEST(PerfFileLayout, SectionsAreAligned) {
  for (const u32 bytes : {65u, 72u, 136u}) {
    const std::vector<WrittenEvent> events = {{.name = "one", .attributes = attributes(1, bytes), .ids = {1}}};
    EXPECT_EQ(file_beginning(events).size() % 8, 0u) << bytes;
  }
}

// As after `kill -9`: the file has its beginning, but the end was never written.
TEST(PerfFileLayout, WithoutItsEndAFileCanBeRead) {
  const std::vector<WrittenEvent> events = {{.name = "one", .attributes = attributes(1, 136), .ids = {11, 12, 21}}};
  const std::string records = three_samples();
  const std::string file = file_beginning(events) + records;
  const usize begin = file.size() - records.size(), one = records.size() / 3;
  for (usize size = begin; size <= file.size(); ++size) {
    const std::string cut = file.substr(0, size);
    auto opened = PerfFile::open(bytes_of(cut));
    ASSERT_TRUE(opened.has_value()) << opened.error().text;
    EXPECT_EQ(opened.value().is_unfinished(), size != begin);
    EXPECT_EQ(samples_in(opened.value()), (size - begin) / one);
  }
}

// The file was finished, but cut while it was copied.
TEST(PerfFileLayout, CutAnywhereBehindTheBeginningAFileCanBeRead) {
  const std::vector<WrittenEvent> events = {{.name = "one", .attributes = attributes(1, 136), .ids = {11, 12, 21}}};
  const std::string records = three_samples();
  const std::string file = finished_file(events, records, all_facts());
  const usize begin = file_beginning(events).size(), one = records.size() / 3;
  for (usize size = begin; size < file.size(); ++size) {
    const std::string cut = file.substr(0, size);
    auto opened = PerfFile::open(bytes_of(cut));
    ASSERT_TRUE(opened.has_value()) << opened.error().text;
    EXPECT_TRUE(opened.value().is_cut()) << size;
    EXPECT_EQ(samples_in(opened.value()), std::min<usize>((size - begin) / one, 3));
  }
}

}  // namespace
}  // namespace wperf::perf_data
