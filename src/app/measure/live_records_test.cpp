// SPDX-License-Identifier: BSD-3-Clause
#include "app/measure/live_records.h"

#include <gtest/gtest.h>

#include <string>

#include "formats/perf_data/event_attributes.h"
#include "formats/perf_data/perf_file.h"
#include "formats/perf_data/perf_file_layout.h"
#include "formats/perf_data/record_bytes.h"

namespace wperf::measure {
namespace {

constexpr u64 kSampleType = perf_data::kSampleIp | perf_data::kSampleTid | perf_data::kSampleTime;

constexpr usize kPidOffset = 16;  // after header and address

std::span<const std::byte> bytes_of(const std::string& text) {
  return std::as_bytes(std::span(text));
}

std::string beginning() {
  const std::vector<perf_data::WrittenEvent> events{
      {.name = "cycles",
       .attributes = perf_data::attribute_bytes({.type = 0, .config = 0, .period = 1, .sample_type = kSampleType})}};
  return perf_data::file_beginning(events);
}

std::string sample(u64 ip) {
  std::string record;
  perf_data::append_sample(record, {.sample_type = kSampleType, .ip = ip, .time = ip, .pid = 1, .tid = 1});
  return record;
}

std::string comm(std::string_view name, u32 pid = 1) {
  std::string record;
  perf_data::append_comm(record, {pid, pid}, name, false, {.sample_type = kSampleType});
  return record;
}

// The addresses of samples and the names in a file, as text.
std::string told(const std::vector<std::byte>& file) {
  const auto opened = perf_data::PerfFile::open(file);
  EXPECT_TRUE(opened.has_value());
  EXPECT_FALSE(opened.value().is_unfinished());
  std::string text;
  opened.value().for_each_record(perf_data::Visitors{
      [&](const perf_data::Sample& one, const perf_data::Record&) { text += std::to_string(one.ip) + " "; },
      [&](const perf_data::Comm& one, const perf_data::Record&) { text += std::string(one.name) + " "; },
  });
  return text;
}

TEST(LiveRecords, LooksAndSidebandRecords) {
  LiveRecords records;
  records.begin(bytes_of(beginning()), kPidOffset);
  records.begin_look(~u64{0});
  std::string round = sample(1) + comm("one");
  perf_data::append_finished_round(round);
  EXPECT_TRUE(records.take(bytes_of(round + sample(2))));
  records.begin_look(~u64{0});
  EXPECT_TRUE(records.take(bytes_of(sample(3) + comm("two"))));
  EXPECT_EQ(records.kept(), 2u);
  EXPECT_EQ(told(records.file(1, 0)), "one two 3 ");
  EXPECT_EQ(told(records.file(9, 0)), "one two 1 2 3 ");
  EXPECT_EQ(told(records.file(1, 1)), "one two 1 2 ");
  EXPECT_EQ(told(records.file(1, 9)), "");
}

TEST(LiveRecords, FilesHaveSidebandOfSampledProcesses) {
  LiveRecords records;
  records.begin(bytes_of(beginning()), kPidOffset);
  records.begin_look(~u64{0});
  std::string fork;
  perf_data::append_fork(fork, {1, 1}, {3, 3}, 0, {.sample_type = kSampleType});
  EXPECT_TRUE(records.take(bytes_of(comm("own") + comm("other", 2) + comm("parent", 3) + fork + sample(7))));
  EXPECT_EQ(told(records.file(1, 0)), "own parent 7 ");
  records.begin(bytes_of(beginning()), 0);  // the process of a sample is unknown
  records.begin_look(~u64{0});
  EXPECT_TRUE(records.take(bytes_of(comm("own") + comm("other", 2) + sample(7))));
  EXPECT_EQ(told(records.file(1, 0)), "own other 7 ");
}

TEST(LiveRecords, EachFileSaysOfWhichMachineItIs) {
  LiveRecords records;
  perf_data::RecordingFacts facts;
  facts.os_release = "6.1.0";
  facts.version = "a test";
  facts.cores_available = 2;
  records.begin(bytes_of(beginning()), kPidOffset, facts);
  for (u64 ip = 1; ip <= 2; ++ip) {
    records.begin_look(~u64{0});
    EXPECT_TRUE(records.take(bytes_of(sample(ip))));
    const std::vector<std::byte> file = records.file(9, 0);
    EXPECT_EQ(told(file), ip == 1 ? "1 " : "1 2 ");
    const auto opened = perf_data::PerfFile::open(file);
    ASSERT_TRUE(opened.has_value());
    EXPECT_EQ(opened.value().features().text(perf_data::Feature::os_release), "6.1.0");
    EXPECT_EQ(opened.value().features().text(perf_data::Feature::perf_version), "a test");
    EXPECT_EQ(opened.value().features().cpu_count()->available, 2u);
  }
}

TEST(LiveRecords, SwitchesGoWithTheirLook) {
  LiveRecords records;
  records.begin(bytes_of(beginning()), kPidOffset);
  records.begin_look(~u64{0});
  const usize empty = records.file(1, 0).size();
  for (const char type : {char{14}, char{15}}) {
    std::string change(24, '\0');
    change[0] = type;
    change[6] = static_cast<char>(change.size());
    EXPECT_TRUE(records.take(bytes_of(change)));
  }
  EXPECT_EQ(records.sideband_bytes(), 0u);
  EXPECT_EQ(records.file(1, 0).size(), empty + 48);
  records.begin_look(~u64{0});
  EXPECT_EQ(records.file(1, 0).size(), empty);
}

TEST(LiveRecords, OldLooksGo) {
  LiveRecords records;
  records.begin(bytes_of(beginning()), kPidOffset);
  for (u64 ip = 1; ip <= 5; ++ip) {
    records.begin_look(2 * sample(1).size());
    EXPECT_TRUE(records.take(bytes_of(sample(ip))));
  }
  EXPECT_EQ(told(records.file(9, 0)), "3 4 5 ");
}

TEST(LiveRecords, WhatIsNoRecordIsRefused) {
  LiveRecords records;
  records.begin(bytes_of(beginning()), kPidOffset);
  records.begin_look(~u64{0});
  EXPECT_FALSE(records.take(bytes_of(std::string(4, '\0'))));
  EXPECT_FALSE(records.take(bytes_of(std::string(16, '\0'))));    // a record of size 0
  EXPECT_FALSE(records.take(bytes_of(sample(1).substr(0, 12))));  // a truncated record
}

}  // namespace
}  // namespace wperf::measure
