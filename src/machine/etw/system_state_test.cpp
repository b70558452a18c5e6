// SPDX-License-Identifier: BSD-3-Clause
// How a wperf undoes the changes of another wperf that was killed.
#include "machine/etw/system_state.h"

#include <gtest/gtest.h>

#include "machine/etw/trace_session.h"
#include "sim/tracing/played_machine_test.h"

namespace wperf::etw {
namespace {

using namespace fake;

struct EtwSystemState : testing::Test {
  PlayedMachine machine;
};

TEST_F(EtwSystemState, LeftoverSessionsAreCleanedUp) {
  FakeWindows windows;
  windows.sessions = {u"wperf recording 77", u"wperf recording 78", u"somebody else's"};
  windows.processes = {};
  windows.sources = usual_sources();
  windows.sources.push_back({0x100, kLeastInterval, 0x7fffffff, "wperf.0x0070 ld_spec"});
  FakeTraceApi api(windows, machine);
  ASSERT_EQ(api.enable_privilege(), kNoError);
  EXPECT_EQ(end_leftovers(api).size(), 2u);
  EXPECT_EQ(api.sessions(), std::vector<std::u16string>{u"somebody else's"});
  const std::vector<CleanupResult> removed = remove_left_sources(api);
  ASSERT_EQ(removed.size(), 1u);
  EXPECT_TRUE(removed[0].is_good);
  EXPECT_TRUE(api.added_sources().empty());
  EXPECT_TRUE(end_leftovers(api).empty());
}

TEST_F(EtwSystemState, AKernelLoggerThatAKilledWperfLeftIsEnded) {
  FakeWindows windows;
  windows.sessions = {std::u16string(kKernelLogger)};
  windows.kept = {{"process and file of the kernel logger", "77 C:\\my traces\\x.etl"}};
  windows.kernel_logger_file = "C:\\somebody else's.etl";
  FakeTraceApi api(windows, machine);
  ASSERT_EQ(api.enable_privilege(), kNoError);
  EXPECT_TRUE(end_leftovers(api).empty()) << "another program took the name since";
  api.windows().kernel_logger_file = "C:\\my traces\\x.etl";
  api.windows().processes = {77};
  EXPECT_TRUE(end_leftovers(api).empty()) << "it records still";
  api.windows().processes = {};
  ASSERT_EQ(end_leftovers(api).size(), 1u);
  EXPECT_TRUE(api.sessions().empty());
  EXPECT_TRUE(api.windows().kept.empty());
}

TEST_F(EtwSystemState, SourcesOfAWperfThatRecordsAreLeftAlone) {
  FakeWindows windows;
  windows.sessions = {u"wperf recording 77"};
  windows.processes = {77};
  windows.sources = usual_sources();
  windows.sources.push_back({0x100, kLeastInterval, 0x7fffffff, "wperf.0x0070 ld_spec"});
  FakeTraceApi api(windows, machine);
  ASSERT_EQ(api.enable_privilege(), kNoError);
  EXPECT_TRUE(end_leftovers(api).empty());
  EXPECT_TRUE(remove_left_sources(api).empty());
  EXPECT_EQ(api.added_sources().size(), 1u);
}

}  // namespace
}  // namespace wperf::etw
