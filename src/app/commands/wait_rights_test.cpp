// SPDX-License-Identifier: BSD-3-Clause
#include "app/commands/wait_rights.h"

#include <gtest/gtest.h>

namespace wperf::commands {
namespace {

linux_kernel::LinuxFacts rights_at(int paranoid, bool own_programs, bool whole_cores) {
  linux_kernel::LinuxFacts facts;
  facts.paranoid = paranoid;
  facts.own_programs = own_programs;
  facts.whole_cores = whole_cores;
  return facts;
}

request::Request of_a_program() {
  request::Request request;
  request.program = request::Program{.path = "program", .command_line = "program"};
  return request;
}

TEST(WaitRights, WhoMayMeasureNothingIsToldTheSetting) {
  const auto answer = check_own_switches(rights_at(3, false, false), of_a_program());
  ASSERT_FALSE(answer.has_value());
  EXPECT_NE(answer.error().text.find("kernel.perf_event_paranoid is 3"), std::string::npos) << answer.error().text;
  EXPECT_NE(answer.error().hint.find("kernel.perf_event_paranoid=2"), std::string::npos) << answer.error().hint;
  EXPECT_EQ(answer.error().code, diag::ExitCode::no_device);
}

TEST(WaitRights, PermissiveSettingIsNotBlamed) {
  const auto answer = check_own_switches(rights_at(2, false, false), of_a_program());
  ASSERT_FALSE(answer.has_value());
  EXPECT_NE(answer.error().hint.find("sandbox"), std::string::npos) << answer.error().hint;
}

TEST(WaitRights, OwnProgramsAndTheWholeMachineDiffer) {
  EXPECT_TRUE(check_own_switches(rights_at(2, true, false), of_a_program()).has_value());
  request::Request of_process;
  of_process.process = 12;
  EXPECT_TRUE(check_own_switches(rights_at(2, true, false), of_process).has_value());
  const auto answer = check_own_switches(rights_at(2, true, false), request::Request());
  ASSERT_FALSE(answer.has_value());
  EXPECT_NE(answer.error().text.find("the whole machine"), std::string::npos) << answer.error().text;
  EXPECT_NE(answer.error().hint.find("wperf waits -- PROGRAM"), std::string::npos) << answer.error().hint;
  EXPECT_TRUE(check_own_switches(rights_at(0, true, true), request::Request()).has_value());
}

}  // namespace
}  // namespace wperf::commands
