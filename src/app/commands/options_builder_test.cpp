// SPDX-License-Identifier: BSD-3-Clause
#include "app/commands/options_builder.h"

#include <gtest/gtest.h>

namespace wperf::commands {
namespace {

class QuietConsole final : public diag::Console {
 public:
  void out(std::string_view) override {}
  void document(std::string_view) override {}
  void warn(std::string_view) override {}
  bool animated() const override { return false; }
  bool interrupted() const override { return false; }
};

TEST(ReportOptions, TreesDoNotChangeTheRowsOfChildren) {
  const QuietConsole console;
  request::Request request;
  request.recording.children = true;
  EXPECT_TRUE(report_options(request, console).tables.filter.in_callers);
  request.recording.callers = request.recording.callees = true;
  EXPECT_TRUE(report_options(request, console).tables.filter.in_callers);
  request.recording.children = false;
  EXPECT_FALSE(report_options(request, console).tables.filter.in_callers);
}

TEST(BriefCommands, OnlyABenchWithoutRecordingsCanAddThem) {
  request::Request request;
  request.arguments = {"bench", "--brief", "-n", "5", "--", "a", "---", "b"};
  request.command = request::Command::bench;
  EXPECT_EQ(brief_commands(request).with_functions, "wperf bench -n 5 --record run -- a --- b");
  request.comparison.record_as = "x";
  EXPECT_EQ(brief_commands(request).with_functions, "");
  request.command = request::Command::diff;
  request.comparison.record_as.reset();
  EXPECT_EQ(brief_commands(request).with_functions, "");
}

TEST(ShownRequest, OfATraceHasTheProgramAndThoseThatItStarted) {
  measure::Recording recording;
  recording.trace = "x.etl";
  recording.sampled.pid = 5;
  recording.trace_children = {{5, 7}, {7, 8}, {1, 9}};
  EXPECT_EQ(shown_request({}, recording).recording.pids, (std::vector<u32>{5, 7, 8}));
  request::Request whole;
  whole.sampling.whole_machine = true;
  EXPECT_TRUE(shown_request(whole, recording).recording.pids.empty());
}

}  // namespace
}  // namespace wperf::commands
