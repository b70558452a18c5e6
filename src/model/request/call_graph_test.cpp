// SPDX-License-Identifier: BSD-3-Clause
#include "model/request/call_graph.h"

#include <gtest/gtest.h>

namespace wperf::request {
namespace {

TEST(CallGraph, WaysToRecordStacks) {
  EXPECT_EQ(parse_call_graph("auto").value().source, StackSource::automatic);
  EXPECT_EQ(parse_call_graph("auto").value().stack_bytes, 16384u);
  EXPECT_EQ(parse_call_graph("fp").value().source, StackSource::frame_pointers);
  EXPECT_EQ(parse_call_graph("dwarf").value().source, StackSource::stack_copies);
  EXPECT_EQ(parse_call_graph("dwarf").value().stack_bytes, 8192u);
  EXPECT_EQ(parse_call_graph("dwarf,16384").value().stack_bytes, 16384u);
  EXPECT_EQ(parse_call_graph("dwarf,65528").value().stack_bytes, 65528u);
}

TEST(CallGraph, WhatIsRefused) {
  for (const char* text : {"", "lbr", "fp,8", "dwarf,", "dwarf,0", "dwarf,12", "dwarf,65536", "dwarf,x", "dwarf,-8"}) {
    const auto parsed = parse_call_graph(text);
    ASSERT_FALSE(parsed.has_value()) << text;
    EXPECT_EQ(parsed.error().code, diag::ExitCode::usage);
    EXPECT_FALSE(parsed.error().hint.empty());
  }
}

}  // namespace
}  // namespace wperf::request
