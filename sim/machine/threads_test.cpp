// SPDX-License-Identifier: BSD-3-Clause
// Programs with several threads, on one core and on many.
#include <gtest/gtest.h>

#include "sim/machine/program_test.h"
#include "sim/machine/simulated_machine.h"

namespace wperf::sim {
namespace {

class ThreadsTest : public ProgramTest {
 protected:
  static std::unique_ptr<Machine> open(const std::string& options) {
    OptionError error;
    MachineOptions parsed = parse_options("pace=free," + options, "", error);
    EXPECT_EQ(error.text, "");
    auto parts = make_real_parts(parsed);
    return std::make_unique<Machine>(std::move(parsed), std::move(parts));
  }
  // The program's exit code.
  static u32 run(Machine& machine, const std::string& command_line, u32 core) {
    MachineError error;
    const u32 pid =
        machine.spawn({workload(command_line.substr(0, command_line.find(' '))), workload(command_line), core}, error);
    EXPECT_NE(pid, 0u) << error.text;
    machine.resume(pid);
    machine.wait(100'000'000'000, pid, error);
    EXPECT_EQ(error.text, "");
    EXPECT_FALSE(machine.find(pid)->running);
    return machine.find(pid)->exit_code;
  }
};

TEST_F(ThreadsTest, CountRightWithEveryKindOfLock) {
  for (const std::string options : {"cores=1", "cores=2", "cores=8,mhz=100", "cores=4,cluster=4,dsu=off"}) {
    for (const std::string command_line : {"threads.exe 1 300", "threads.exe 4 300", "threads.exe 9 100"}) {
      const auto machine = open(options);
      EXPECT_EQ(run(*machine, command_line, 0), 0u) << options << " " << command_line;
    }
  }
}

TEST_F(ThreadsTest, FalseSharingCountsRight) {
  for (const std::string options : {"cores=1", "cores=2", "cores=4"}) {
    const auto machine = open(options);
    EXPECT_EQ(run(*machine, "false_sharing.exe 20000", 0), 0u) << options;
  }
}

TEST_F(ThreadsTest, RunWhereTheyAreToldAndAtTheSameTime) {
  const auto machine = open("cores=4");
  EXPECT_EQ(run(*machine, "false_sharing.exe 100000", 1), 0u);
  const auto user = [&](u32 core, Signal signal) { return machine->signals(core)(Level::user, signal); };
  const double first = static_cast<double>(user(1, Signal::inst_retired));
  const double second = static_cast<double>(user(2, Signal::inst_retired));
  EXPECT_NEAR(first / second, 1, 0.2);
  EXPECT_EQ(user(0, Signal::inst_retired) + user(3, Signal::inst_retired), 0u);
  const ProgramDetails& details = *machine->details(machine->programs()[0]);
  EXPECT_EQ(details.threads.size(), 2u);
  EXPECT_NE(details.threads[0], details.threads[1]);
}

// The counts of a machine that keeps lines coherent depend only on its options.
TEST_F(ThreadsTest, TheSameEachTime) {
  const auto counts = [] {
    const auto machine = open("cores=4,seed=3");
    EXPECT_EQ(run(*machine, "threads.exe 6 200", 2), 0u);
    std::vector<std::array<std::array<u64, kSignalCount>, 2>> all;
    for (u32 core = 0; core < 4; ++core) all.push_back(machine->signals(core).at);
    return all;
  };
  EXPECT_EQ(counts(), counts());
}

// A line that two cores write moves between them. If each core writes a different line, the lines stay.
TEST_F(ThreadsTest, OnlySharedLinesMove) {
  const auto refills = [](u32 cores) {
    const auto machine = open("cores=" + std::to_string(cores));
    EXPECT_EQ(run(*machine, "false_sharing.exe 100000", 0), 0u);
    u64 sum = 0;
    for (u32 core = 0; core < cores; ++core)
      sum += machine->signals(core)(Level::user, Signal::l1d_cache_refill_rd) +
             machine->signals(core)(Level::user, Signal::l1d_cache_refill_wr);
    return sum;
  };
  const u64 alone = refills(1), apart = refills(2);
  EXPECT_LT(alone, 500u);
  EXPECT_GT(apart, 2000u);
}

}  // namespace
}  // namespace wperf::sim
