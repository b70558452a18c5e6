// SPDX-License-Identifier: BSD-3-Clause
// The counts in the recorded schedule add up to the machine's counts.
#include "sim/machine/schedule_records.h"

#include <gtest/gtest.h>

#include <array>

#include "sim/machine/fake_parts.h"
#include "sim/machine/program_test.h"
#include "sim/machine/simulated_machine.h"
#include "sim/machine/virtual_times.h"

namespace wperf::sim {
namespace {

constexpr std::array<u16, 2> kWatched{0x08, 0x11};  // INST_RETIRED, CPU_CYCLES
constexpr u32 kVisitor = 4242;

class ScheduleTest : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    if (const std::string why = why_programs_cannot_run(); !why.empty()) GTEST_SKIP() << why;
    OptionError error;
    MachineOptions parsed = parse_options(std::string("pace=free,") + GetParam(), "", error);
    auto parts = make_real_parts(parsed);
    machine = std::make_unique<Machine>(std::move(parsed), std::move(parts));
  }
  u32 spawn(const std::string& command_line, u32 core) {
    MachineError error;
    const std::string path = workload(command_line);
    const u32 pid = machine->spawn({path.substr(0, path.find(' ')), path, core}, error);
    machine->resume(pid);
    return pid;
  }
  struct Spent {
    u64 ns = 0, instructions = 0;
  };
  using Key = std::pair<u32, u32>;
  // Sums per thread, computed only from the records of each core's switches.
  std::map<Key, Spent> replayed() {
    struct Core {
      bool is_known = false;
      Key runs;
      u64 since_ns = 0, instructions = 0;
    };
    std::map<u32, Core> cores;
    std::map<Key, Spent> spent;
    for (const WperfSimScheduleEvent& note : machine->take_schedule(~usize{0})) {
      if (note.kind != WPERF_SIM_SWITCHED) continue;
      Core& core = cores[note.core];
      const Key leaves{note.old_process, note.old_thread};
      if (core.is_known) {
        EXPECT_EQ(core.runs, leaves);
        EXPECT_GE(note.time_ns, core.since_ns);
        spent[leaves].ns += note.time_ns - core.since_ns;
        spent[leaves].instructions += note.counts[0] - core.instructions;
      }
      core = {true, {note.process, note.thread}, note.time_ns, note.counts[0]};
    }
    return spent;
  }
  std::unique_ptr<Machine> machine;
};

TEST_P(ScheduleTest, NotesAddUpToWhatThreadsSpent) {
  const u32 pid = spawn("threads.exe 5 300", 0);
  ASSERT_NE(pid, 0u);
  ASSERT_NE(spawn("googolplex.exe", 0), 0u);
  machine->watch_schedule(kWatched);
  machine->visit_cores(kVisitor, kVisitor + 1);
  MachineError error;
  machine->wait(3'000'000'000, pid, error);
  ASSERT_FALSE(machine->find(pid)->running);
  machine->visit_cores(kVisitor, kVisitor + 1);
  const std::map<Key, Spent> spent = replayed();
  usize of_program = 0;
  const u64 cycle_ns = 1000 / machine->options().mhz + 1;
  for (const WperfSimThreadTruth& truth : machine->schedule_truth()) {
    if (truth.thread == 0) continue;  // an idle core's clock stands still
    const auto found = spent.find({truth.process, truth.thread});
    ASSERT_NE(found, spent.end()) << truth.thread;
    EXPECT_EQ(found->second.instructions, truth.counts[0]) << truth.thread;
    const u64 spent_ns = truth.cycles * 1000 / machine->options().mhz;
    EXPECT_NEAR(static_cast<double>(found->second.ns), static_cast<double>(spent_ns),
                static_cast<double>(cycle_ns * 1000))
        << truth.thread;
    of_program += truth.process == pid;
  }
  EXPECT_EQ(of_program, 6u);  // including the first thread
}

TEST_P(ScheduleTest, NobodyWaitsForTwoThingsAtOnce) {
  const u32 pid = spawn("threads.exe 5 300", 0);
  machine->watch_schedule({});
  MachineError error;
  machine->wait(3'000'000'000, pid, error);
  std::map<u32, char> states;  // states of threads: r runs, w waits, p ready
  std::vector<WperfSimScheduleEvent> notes = machine->take_schedule(~usize{0});
  std::stable_sort(notes.begin(), notes.end(), [](const auto& a, const auto& b) { return a.time_ns < b.time_ns; });
  usize woken = 0, by_threads = 0, with_callers = 0;
  for (const WperfSimScheduleEvent& note : notes) {
    if (note.kind == WPERF_SIM_THREAD_BEGAN) states[note.thread] = 'w';
    if (note.kind == WPERF_SIM_READIED) {
      EXPECT_EQ(states[note.thread], 'w');
      states[note.thread] = 'p';
      ++woken;
      by_threads += note.old_thread != 0;
    }
    if (note.kind != WPERF_SIM_SWITCHED) continue;
    if (note.old_thread != 0) states[note.old_thread] = note.state == 5 ? 'w' : 'p';
    if (note.thread == 0) continue;
    EXPECT_NE(states[note.thread], 'w') << note.thread;
    states[note.thread] = 'r';
    with_callers += note.frame_count > 3;
  }
  EXPECT_GT(woken, 10u);
  EXPECT_GT(by_threads, 5u);
  EXPECT_GT(with_callers, 5u);
}

TEST_P(ScheduleTest, EachStackIsReportedWhileItsThreadStandsStill) {
  const u32 pid = spawn("threads.exe 5 300", 0);
  std::vector<WperfSimMoment> moments;
  machine->watch_stacks([&](const WperfSimMoment& moment) { moments.push_back(moment); });
  machine->watch_schedule({});
  MachineError error;
  machine->wait(3'000'000'000, pid, error);
  usize seen = 0;
  for (const WperfSimScheduleEvent& note : machine->take_schedule(~usize{0})) {
    if (note.frame_count == 0) continue;
    ASSERT_LT(seen, moments.size());
    const WperfSimMoment& moment = moments[seen++];
    const bool comes = note.kind == WPERF_SIM_SWITCHED;
    EXPECT_EQ(moment.time_ns, note.time_ns);
    EXPECT_EQ(moment.process, comes ? note.process : note.old_process);
    EXPECT_EQ(moment.thread, comes ? note.thread : note.old_thread);
    EXPECT_EQ(moment.pc, note.frames[0]);
    EXPECT_EQ(moment.core, note.core);
    EXPECT_EQ(moment.ticks, 0u);
  }
  EXPECT_EQ(seen, moments.size());
  EXPECT_GT(seen, 20u);
}

struct Change {
  u32 kind, core;
  u64 ms;
  bool operator==(const Change&) const = default;
};

// When the thread was switched in, left to wait and became ready.
std::vector<Change> changes_of(Machine& machine, u32 thread) {
  constexpr u32 kWaiting = 5, kExecutive = 0;
  std::vector<Change> changes;
  for (const WperfSimScheduleEvent& note : machine.take_schedule(~usize{0})) {
    if (note.thread != thread && note.old_thread != thread) continue;
    changes.push_back({note.kind, note.core, (note.time_ns + kMillisecond / 2) / kMillisecond});
    if (note.old_thread != thread) continue;
    EXPECT_EQ(note.state, kWaiting);
    EXPECT_EQ(note.reason, kExecutive);
  }
  return changes;
}

TEST(ScheduleOfHostWaits, AThreadThatWaitsForTheHostIsNotReadyWhenItLooks) {
  using namespace fake;
  OptionError error;
  MachineOptions options = parse_options("pace=free,cores=2", "", error);
  auto parts = std::make_unique<FakeParts>();
  parts->scripts = {{"reads.exe", {await(400 * kMillisecond), await(300 * kMillisecond), work(kForever)}},
                    {"calls.exe", std::vector<Step>(10'000, work(10'000))}};
  Machine machine(std::move(options), std::move(parts));
  MachineError wrong;
  const u32 pid = machine.spawn({"reads.exe", "reads.exe", 0}, wrong);
  machine.resume(pid);
  machine.resume(machine.spawn({"calls.exe", "calls.exe", 1}, wrong));
  const auto wait = [&](u64 ns) { machine.wait(ns, 0, wrong); };
  wait(100 * kMillisecond + kLookNs / 3);
  machine.watch_schedule({});
  wait(500 * kMillisecond);
  EXPECT_EQ(
      changes_of(machine, pid + 4),
      (std::vector<Change>{{WPERF_SIM_READIED, 0, 400}, {WPERF_SIM_SWITCHED, 0, 400}, {WPERF_SIM_SWITCHED, 0, 400}}));
  wait(kSecond);
  EXPECT_EQ(changes_of(machine, pid + 4),
            (std::vector<Change>{{WPERF_SIM_READIED, 0, 700}, {WPERF_SIM_SWITCHED, 0, 700}}));
}

INSTANTIATE_TEST_SUITE_P(All, ScheduleTest, testing::Values("cores=1", "cores=2,mhz=100", "cores=4"));

}  // namespace
}  // namespace wperf::sim
