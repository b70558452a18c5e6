// SPDX-License-Identifier: BSD-3-Clause
// Writes a perf.data file with formats/perf_data. Its contents are fixed: written_for_perf.py expects them.
//
//   write_perf_data FILE MODULE
//
// MODULE: the ELF file that the samples are in.
#include <fmt/format.h>

#include <cstdio>
#include <string_view>

#include "formats/perf_data/event_attributes.h"
#include "formats/perf_data/format.h"
#include "formats/perf_data/perf_file_layout.h"
#include "formats/perf_data/record_bytes.h"
#include "ground/os/files.h"

namespace wperf::perf_data {
namespace {

constexpr u64 kSampleType = perf_data::kSampleIdentifier | perf_data::kSampleIp | perf_data::kSampleTid |
                            perf_data::kSampleTime | perf_data::kSampleCpu | perf_data::kSamplePeriod |
                            perf_data::kSampleCallchain;
constexpr u64 kBase = 0x5500'0000'0000, kSize = 0x10'0000, kMillisecond = 1'000'000;
constexpr u32 kPid = 4000, kThread = 4001;

std::string records_of(std::string_view module) {
  std::string out;
  perf_data::Trailer trailer{.sample_type = kSampleType, .pid = kPid, .tid = kPid, .id = 71};
  perf_data::append_event_name(out, 71, "first_event");
  perf_data::append_event_name(out, 72, "second_event");
  perf_data::append_comm(out, {kPid, kPid}, "written", true, trailer);
  perf_data::append_mmap2(
      out, {.pid = kPid, .tid = kPid, .address = kBase, .length = kSize, .inode = 77, .file = module}, trailer);
  trailer.time = kMillisecond;
  perf_data::append_fork(out, {kPid, kThread}, {kPid, kPid}, trailer.time, trailer);
  perf_data::append_comm(out, {kPid, kThread}, "second thread", false, trailer);
  for (u32 i = 0; i < 30; ++i) {
    const u64 chain[] = {perf_data::kCallchainUser, kBase + 0x1000 + i, kBase + 0x2000};
    perf_data::append_sample(out, {.sample_type = kSampleType,
                                   .id = i % 3 == 0 ? 72u : 71u,
                                   .ip = kBase + 0x1000 + i,
                                   .time = (i + 2) * kMillisecond,
                                   .period = 1000 + i,
                                   .pid = kPid,
                                   .tid = i % 2 == 0 ? kPid : kThread,
                                   .cpu = i % 4,
                                   .callchain = chain});
  }
  perf_data::append_finished_round(out);
  return out;
}

perf_data::RecordingFacts facts() {
  perf_data::RecordingFacts facts;
  facts.host_name = "a-host";
  facts.os_release = "6.1.0-test";
  facts.version = "wperf 0";
  facts.architecture = "x86_64";
  facts.cpu_description = "a core";
  facts.cpu_id = "0x00000000413fd0c1";
  facts.cores_online = 3;
  facts.cores_available = 4;
  facts.memory_bytes = u64{2048} << 10;
  facts.command_line = {"wperf", "record", "two words"};
  facts.units = {{4, "cpu"}, {9, "dsu"}};
  facts.core_units = {{"cpu_core", "0-1"}, {"cpu_atom", "2-3"}};
  facts.first_sample_ns = 2 * kMillisecond;
  facts.last_sample_ns = 31 * kMillisecond;
  facts.build_ids = {{.id = std::string(20, '\xab'), .path = "/a/file"}};
  return facts;
}

int write(const std::string& path, std::string_view module) {
  std::vector<perf_data::WrittenEvent> events;
  for (const u32 config : {0x11u, 0x70u}) {
    events.push_back({.name = events.empty() ? "first_event" : "second_event",
                      .attributes = perf_data::attribute_bytes(
                          {.type = 4, .config = config, .period = 1000, .sample_type = kSampleType, .kernel = true}),
                      .ids = {events.empty() ? 71u : 72u}});
  }
  std::string file = perf_data::file_beginning(events);
  const std::string records = records_of(module);
  file += records;
  const perf_data::FileEnding ending = perf_data::file_ending(events, records.size(), facts());
  file.replace(0, ending.header.size(), ending.header);
  file += ending.tail;
  const auto saved = os::save_with_folders(path, std::as_bytes(std::span(file)));
  if (saved.has_value()) return 0;
  fmt::print(stderr, "error: {}\n", saved.error().text);
  return 1;
}

}  // namespace
}  // namespace wperf::perf_data

int main(int count, char** words) {
  return count == 3 ? wperf::perf_data::write(words[1], words[2]) : 2;
}
