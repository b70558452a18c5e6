// SPDX-License-Identifier: BSD-3-Clause
// The importer reads the events that were written. Tests with real traces of Windows check the importer.
#include "formats/etl/kernel_events.h"

#include <gtest/gtest.h>

#include "formats/etl/kernel_payloads.h"
#include "formats/etl/recorder_payloads.h"
#include "formats/etl/trace.h"
#include "formats/etl/trace_writer.h"
#include "ground/text/unicode.h"

namespace wperf::etl::write {
namespace {

TEST(KernelEvents, AreReadBackInTheOrderOfTheirTimes) {
  TraceFacts facts;
  facts.buffer_size = 4096;
  facts.os_build = 26100;
  facts.processors = 2;
  facts.first_ticks = 100;
  facts.logger_name = "wperf";
  facts.events_lost = 7;
  std::string file = trace_header(facts);
  BufferWriter writer(4096, 1, [&](std::string_view buffer) { file += buffer; });
  const auto add = [&](u16 core, u64 time, const std::string& record) { EXPECT_TRUE(writer.add(core, time, record)); };
  const std::array<u32, 8> masks{1, 0x402};
  add(0, 101, group_masks(101, masks));
  add(0, 102, interval(102, 0, 10000, "Timer"));
  add(0, 110, process(Moment::begins, 110, {.process = 8, .parent = 4, .image = "a.exe", .command = "a.exe \xc3\xa4"}));
  add(0, 111, thread(Moment::begins, 111, 8, 12));
  add(0, 112, image(Moment::begins, 112, {.process = 8, .base = 0x7000, .size = 0x3000, .path = "\\Device\\x\\a.exe"}));
  for (u64 i = 0; i < 400; ++i) {
    add(i % 2, 120 + i, timer_sample(120 + i, 0x7010 + i, 12));
    const std::array<u64, 2> frames{0x7010 + i, 0x7100};
    add(i % 2, 120 + i, stack(120 + i, 120 + i, 8, 12, frames));
  }
  add(1, 600, counter_sample(600, 0x7020, 12, 19));
  const std::array<std::byte, 20> build{std::byte{1}, std::byte{2}};
  add(1, 601, image_id(601, {.process = 8, .base = 0x7000, .build = build, .pdb_path = "a.pdb"}));
  add(1, 602, volume(602, "\\Device\\x", "C:"));
  EXPECT_FALSE(writer.add(0, 700, std::string(5000, '\0')));
  writer.finish();

  const auto opened = etl::Trace::open(std::as_bytes(std::span(file)));
  ASSERT_TRUE(opened.has_value());
  EXPECT_EQ(opened.value().header().events_lost, 7u);
  EXPECT_EQ(opened.value().header().logger_name, "wperf");
  EXPECT_EQ(opened.value().header().ticks_per_second, 10'000'000u);
  u64 samples = 0, stacks = 0, last = 0;
  std::string seen;
  etl::TraceLosses losses;
  opened.value().for_each_event(
      [&](const etl::Event& event) {
        EXPECT_GE(event.time, last);
        last = event.time;
        if (const auto one = etl::process_event(event)) seen += one->image + "," + one->command + ";";
        if (const auto one = etl::thread_event(event))
          seen += std::to_string(one->process) + "/" + std::to_string(one->thread) + ";";
        if (const auto one = etl::image_event(event)) seen += one->path + ";";
        if (const auto one = etl::interval_event(event)) seen += one->name + std::to_string(one->interval) + ";";
        if (const auto one = etl::group_mask_event(event)) seen += std::to_string(one->words[1]) + ";";
        if (const auto one = etl::pdb_event(event)) seen += one->path + ";";
        if (const auto one = etl::volume_event(event)) seen += one->device + "=" + one->drive + ";";
        if (const auto one = etl::sample_event(event)) {
          ++samples;
          if (one->source == etl::SampleSource::counter) seen += "counter " + std::to_string(one->counter) + ";";
        }
        if (const auto one = etl::stack_event(event)) stacks += one->frames.size() == 16 && one->time == event.time;
      },
      losses);
  EXPECT_EQ(samples, 401u);
  EXPECT_EQ(stacks, 400u);
  EXPECT_EQ(seen, "1026;Timer10000;a.exe,a.exe \xc3\xa4;8/12;\\Device\\x\\a.exe;counter 19;a.pdb;\\Device\\x=C:;");
  EXPECT_EQ(losses.damaged_buffers + losses.out_of_order + losses.cut_buffers, 0u);
}

TEST(KernelEvents, LossEventOfWperfIsParsed) {
  std::string record = loss(7, {.begin_ns = 1, .end_ns = 2, .events = 3, .buffers = 4});
  etl::Event event;
  ASSERT_EQ(etl::parse_event(std::as_bytes(std::span(record)), event), record.size());
  const auto read = etl::loss_event(event);
  ASSERT_TRUE(read.has_value());
  EXPECT_EQ(read->begin_ns + 10 * read->end_ns + 100 * read->events + 1000 * read->buffers, 4321u);
  EXPECT_FALSE(etl::volume_event(event).has_value());
  event.payload = event.payload.first(24);
  EXPECT_FALSE(etl::loss_event(event).has_value());
}

TEST(KernelEvents, PythonEventsOfWperfAreParsed) {
  const std::array<u64, 2> frames{0x7010, 0x7100};
  const std::string stack = python_stack(7, 5, 8, 12, frames), part = section_part(7, 251, "abc");
  etl::Event event;
  ASSERT_EQ(etl::parse_event(std::as_bytes(std::span(stack)), event), stack.size());
  const auto read = etl::python_stack_event(event);
  ASSERT_TRUE(read.has_value());
  EXPECT_EQ(read->time, 5u);
  EXPECT_EQ(read->process, 8u);
  EXPECT_EQ(read->thread, 12u);
  EXPECT_EQ(read->frames.size(), sizeof frames);
  EXPECT_FALSE(etl::stack_event(event) || etl::section_event(event) || etl::loss_event(event));
  event.payload = event.payload.first(15);
  EXPECT_FALSE(etl::python_stack_event(event).has_value());

  ASSERT_EQ(etl::parse_event(std::as_bytes(std::span(part)), event), part.size());
  const auto section = etl::section_event(event);
  ASSERT_TRUE(section.has_value());
  EXPECT_EQ(section->number, 251u);
  EXPECT_EQ(std::string_view(reinterpret_cast<const char*>(section->part.data()), section->part.size()), "abc");
  EXPECT_FALSE(etl::python_stack_event(event).has_value());
}

TEST(WideText, InvalidUtf8IsReplaced) {
  EXPECT_EQ(text::utf16_of("a\xc3\xa4\xf0\x9f\x98\x80"), u"a\u00e4\U0001f600");
  EXPECT_EQ(text::utf16_of("\xff\xc3"), u"\ufffd\ufffd");
  EXPECT_EQ(text::utf16_of("\xed\xa0\x80"), u"\ufffd\ufffd\ufffd");  // a lone surrogate
}

}  // namespace
}  // namespace wperf::etl::write
