// SPDX-License-Identifier: BSD-3-Clause
#include "formats/perf_data/tracepoint_formats.h"

#include <gtest/gtest.h>

#include <string>

namespace wperf::perf_data {
namespace {

template <class T>
void put(std::string& out, T value) {
  out.append(reinterpret_cast<const char*>(&value), sizeof value);
}

void put_sized(std::string& out, std::string_view text) {
  put(out, static_cast<u64>(text.size()));
  out += text;
}

constexpr std::string_view kSwitch =
    "name: sched_switch\nID: 316\nformat:\n"
    "\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
    "\n"
    "\tfield:char prev_comm[16];\toffset:8;\tsize:16;\tsigned:0;\n"
    "\tfield:pid_t prev_pid;\toffset:24;\tsize:4;\tsigned:1;\n"
    "\tfield:__data_loc char[] name;\toffset:28;\tsize:4;\tsigned:0;\n"
    "\nprint fmt: \"prev_comm=%s\", REC->prev_comm\n";

std::string section() {
  std::string out("\x17\x08\x44tracing", 10);
  out.append("0.6", 4);
  out.push_back('\0');  // little-endian
  out.push_back('\x08');
  put(out, u32{4096});
  for (const char* name : {"header_page", "header_event"}) {
    out.append(name).push_back('\0');
    put_sized(out, "text");
  }
  put(out, u32{1});
  put_sized(out, "name: of_ftrace\nID: 1\n");
  put(out, u32{2});
  out.append("irq", 4);
  put(out, u32{1});
  put_sized(out, "name: irq_handler_entry\nID: 77\n");
  out.append("sched", 6);
  put(out, u32{1});
  put_sized(out, kSwitch);
  return out;
}

Bytes bytes_of_text(const std::string& text) {
  return std::as_bytes(std::span(text));
}

TEST(TracepointFormats, SaysWhereFieldsAre) {
  const std::string text = section();
  const auto formats = read_tracepoint_formats(bytes_of_text(text), "sched");
  ASSERT_EQ(formats.size(), 1u);
  EXPECT_EQ(formats[0].name, "sched_switch");
  EXPECT_EQ(formats[0].id, 316u);
  ASSERT_EQ(formats[0].fields.size(), 4u);
  EXPECT_EQ(formats[0].field("prev_comm").size, 16u);
  const TracepointField thread = formats[0].field("prev_pid");
  EXPECT_EQ(thread.offset, 24u);
  std::string raw(28, '\0');
  raw[24] = 7;
  EXPECT_EQ(thread.value(bytes_of_text(raw)), 7u);
  raw.resize(26);
  EXPECT_EQ(thread.value(bytes_of_text(raw)), 0u) << "cut";
  EXPECT_EQ(formats[0].field("nothing").value(bytes_of_text(raw)), 0u);
  EXPECT_EQ(read_tracepoint_formats(bytes_of_text(text), "").size(), 2u);
}

TEST(TracepointFormats, WhateverIsCutOffTheRestIsSound) {
  const std::string text = section();
  for (usize size = 0; size < text.size(); ++size) {
    const auto formats = read_tracepoint_formats(bytes_of_text(text).first(size), "sched");
    EXPECT_TRUE(formats.empty()) << size;
  }
}

}  // namespace
}  // namespace wperf::perf_data
