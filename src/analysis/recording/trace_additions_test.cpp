// SPDX-License-Identifier: BSD-3-Clause
// Facts that were appended to a trace must be in the recording made from it.
#include "analysis/recording/trace_additions.h"

#include <gtest/gtest.h>

#include <array>

#include "analysis/recording/recorded_samples.h"
#include "analysis/recording/sampled_recording.h"
#include "code/symbols/listed/jit_dump_writer.h"
#include "formats/etl/trace_writer.h"
#include "formats/perf_data/run_facts.h"
#include "ground/os/recording_file.h"

namespace wperf::recording {
namespace {

constexpr u32 kProcess = 8, kThread = 12;

// Two samples of one thread, with the same stack.
os::RecordingFile sampled_trace() {
  namespace write = etl::write;
  os::RecordingFile file = os::RecordingFile::create({}).value();
  write::TraceFacts facts;
  facts.processors = 1;
  facts.first_ticks = 100;
  facts.buffers_written = 2;
  file.append(write::trace_header(facts));
  write::BufferWriter writer(facts.buffer_size, 1, [&](std::string_view buffer) { file.append(buffer); });
  writer.add(0, 101, write::thread(write::Moment::at_start, 101, kProcess, kThread));
  for (const u64 time : {110, 120}) {
    const std::array<u64, 3> frames{0x7010, 0x7200, 0x7300};
    writer.add(0, time, write::timer_sample(time, frames[0], kThread));
    writer.add(0, time, write::stack(time, time, kProcess, kThread, frames));
  }
  writer.finish();
  file.close();
  return file;
}

std::string made_code() {
  symbols::JitDumpWriter dump(kProcess);
  const std::string name = "py::work:/a/app.py";
  // Large enough to be written in several parts.
  std::vector<symbols::JitDumpWriter::Line> lines;
  for (u32 i = 0; i < 4000; ++i) lines.push_back({0x500000 + 2 * u64{i}, i / 100 + 1});
  dump.add({.begin = 0x500000, .size = 0x2000, .since = 1, .name = name, .file = "/a/app.py", .lines = lines});
  std::string section;
  dump.append_to(section);
  return section;
}

std::vector<std::string> stack_of(const stacks::StackProfile& profile, u32 row) {
  std::vector<std::string> names;
  for (u32 node = profile.samples[row].node; profile.nodes[node].place != stacks::kNothing;
       node = profile.nodes[node].parent) {
    names.push_back(profile.functions[profile.function_of(node)].name);
  }
  return names;
}

TEST(TraceAdditions, PythonFunctionsReplaceTheUsersPartOfOneStack) {
  const os::RecordingFile file = sampled_trace();
  perf_data::RunFacts run;
  run.python = {.versions = "3.13", .joined = 1, .outside = 2};
  const TraceAdditions additions{
      .volumes = {},
      .losses = {},
      .python_stacks = {{120, kProcess, kThread, {0x7010, 0x500011, 0x7300}}, {130, kProcess, kThread, {0x500011}}},
      .sections = {{perf_data::kJitCodeFeature, made_code()},
                   {perf_data::kRunFactsFeature, perf_data::run_facts_bytes(run)}}};
  ASSERT_TRUE(complete_trace(file.openable_path(), additions).has_value());

  const auto mapped = os::MappedFile::open(file.openable_path());
  ASSERT_TRUE(mapped.has_value());
  const auto trace = etl::Trace::open(mapped.value().bytes());
  ASSERT_TRUE(trace.has_value());
  auto converted = convert_trace(trace.value(), "1", {}, {});
  ASSERT_TRUE(converted.has_value());
  const SampledRecording recording(std::move(converted).value());
  stacks::StackProfile profile = read_recorded_samples(recording.file(), {.callers = true}).profile;
  recording.add_trace_facts(profile);
  ASSERT_EQ(profile.samples.size(), 2u);
  std::vector<std::string> joined = stack_of(profile, 0), other = stack_of(profile, 1);
  if (joined[1] != "work") joined.swap(other);
  EXPECT_EQ(joined, (std::vector<std::string>{joined[0], "work", joined[2]}));
  EXPECT_EQ(other.size(), 3u);
  EXPECT_NE(other[1], "work");
  EXPECT_EQ(profile.python.versions, "3.13");
  EXPECT_EQ(profile.python.joined, 1u);
  EXPECT_EQ(profile.python.outside, 2u);
}

}  // namespace
}  // namespace wperf::recording
