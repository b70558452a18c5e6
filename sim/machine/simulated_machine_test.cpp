// SPDX-License-Identifier: BSD-3-Clause
#include "sim/machine/simulated_machine.h"

#include <gtest/gtest.h>

#include "sim/machine/fake_parts.h"
#include "sim/machine/virtual_times.h"

namespace wperf::sim {
namespace {

using namespace fake;

class MachineTest : public testing::Test {
 protected:
  // By default mhz=100: 10 ns a cycle.
  void make(const std::string& options = "pace=free") {
    OptionError error;
    MachineOptions parsed = parse_options("mhz=100," + options, "", error);  // later options win
    ASSERT_EQ(error.text, "");
    auto owned = std::make_unique<FakeParts>();
    owned->scripts = scripts_;
    parts_ = owned.get();
    machine_ = std::make_unique<Machine>(std::move(parsed), std::move(owned));
  }
  u32 spawn(const std::string& name, u32 core) {
    MachineError error;
    const u32 pid = machine_->spawn({name, name, core}, error);
    machine_->resume(pid);
    EXPECT_EQ(error.text, "");
    return pid;
  }
  MachineError wait(u64 duration_ns, u32 until = 0) {
    MachineError error;
    machine_->wait(duration_ns, until, error);
    return error;
  }
  u64 cycles(u32 core, Level level) { return machine_->signals(core)(level, Signal::cycles); }

  std::map<std::string, Script> scripts_{{"busy.exe", {work(kForever)}}};
  std::unique_ptr<Machine> machine_;
  FakeParts* parts_ = nullptr;
};

TEST_F(MachineTest, OpeningMakesNoCores) {
  make();
  EXPECT_EQ(parts_->cores_made, 0u);
  EXPECT_EQ(machine_->now_ns(), 0u);
  EXPECT_EQ(cycles(7, Level::kernel), 0u);
}

TEST_F(MachineTest, IdleMachineTicksOnEveryCoreAndCountsNothingElse) {
  make();
  EXPECT_EQ(wait(kSecond).text, "");
  EXPECT_EQ(machine_->now_ns(), kSecond);
  for (u32 core = 0; core < 8; ++core) {
    EXPECT_NEAR(parts_->logs[core].ticks, 64, 1) << core;
    EXPECT_EQ(cycles(core, Level::kernel), parts_->logs[core].ticks * kTickCycles);
    EXPECT_EQ(cycles(core, Level::user), 0u);
  }
  EXPECT_EQ(machine_->cluster(3).cycles, 100'000'000u);
}

TEST_F(MachineTest, BusyCoreSpendsExactlyTheTimeThatPassed) {
  make();
  spawn("busy.exe", 1);
  spawn("busy.exe", 6);
  for (int i = 0; i < 10; ++i) wait(kSecond / 10 + 13);
  for (u32 core : {1u, 6u}) {
    const u64 spent = cycles(core, Level::user) + cycles(core, Level::kernel);
    EXPECT_GE(spent, machine_->now_ns() / 10);
    EXPECT_LE(spent, machine_->now_ns() / 10 + kTickCycles);
  }
}

TEST_F(MachineTest, WaitEndsExactlyWithTheProgram) {
  scripts_["short.exe"] = {work(12'345), end(3)};
  for (const char* options : {"pace=free", "pace=free,mhz=3000", "pace=free,mhz=7"}) {
    make(options);
    spawn("busy.exe", 0);
    spawn("busy.exe", 7);
    const u32 pid = spawn("short.exe", 4);
    EXPECT_EQ(wait(kSecond, pid).text, "");
    const u64 spent = cycles(4, Level::user) + cycles(4, Level::kernel);
    const VirtualClock clock(machine_->options().mhz);
    EXPECT_GE(spent, 12'345u + 1 + 2 * kCallCycles);
    EXPECT_EQ(machine_->now_ns(), clock.ns_at(spent)) << options;
    EXPECT_FALSE(machine_->find(pid)->running);
    EXPECT_EQ(machine_->find(pid)->exit_code, 3u);
    // Cores that come earlier in the order ran one step further, which is deducted later.
    wait(kMillisecond);
    for (u32 core : {0u, 7u}) {
      const u64 others = cycles(core, Level::user) + cycles(core, Level::kernel);
      EXPECT_LE(others, clock.cycles_at(machine_->now_ns()) + kTickCycles) << core;
      EXPECT_GE(others, clock.cycles_at(machine_->now_ns())) << core;
    }
  }
}

TEST_F(MachineTest, TheStartOfAProgramIsLeftOutUnlessItIsToBeCounted) {
  scripts_["starts.exe"] = {work(100'000), work(500), end(7)};
  make();
  parts_->starting["starts.exe"] = 2;
  const u32 pid = spawn("starts.exe", 1);
  EXPECT_EQ(wait(kSecond, pid).text, "");
  EXPECT_EQ(cycles(1, Level::user), 500u);
  EXPECT_EQ(cycles(1, Level::kernel), kCallCycles);  // the call that ends it
  EXPECT_EQ(machine_->now_ns(), (500 + kCallCycles) * 10);
  EXPECT_EQ(machine_->find(pid)->exit_code, 7u);

  make("pace=free,startup=counted");
  parts_->starting["starts.exe"] = 2;
  EXPECT_EQ(wait(kSecond, spawn("starts.exe", 1)).text, "");
  EXPECT_EQ(cycles(1, Level::user), 1u + 100'000 + 500);
}

TEST_F(MachineTest, FailedStartIsReported) {
  scripts_["fails.exe"] = {{Step::Kind::fault, 0}, end(0)};
  scripts_["ends.exe"] = {work(5), end(3)};
  make();
  parts_->starting = {{"fails.exe", 9}, {"ends.exe", 9}};
  const u32 failed = spawn("fails.exe", 0);
  const MachineError report = wait(kSecond, failed);
  EXPECT_NE(report.text.find("crashed"), std::string::npos);
  EXPECT_EQ(machine_->details(failed)->crashed.text, report.text);
  EXPECT_EQ(machine_->details(failed)->crashed.hint, report.hint);
  const u32 pid = spawn("ends.exe", 0);
  EXPECT_EQ(wait(kSecond, pid).text, "");
  EXPECT_EQ(machine_->find(pid)->exit_code, 3u);
  EXPECT_EQ(machine_->details(pid)->crashed.text, "");
}

TEST_F(MachineTest, WaitForAnEndedOrUnknownProgramReturnsAtOnce) {
  scripts_["short.exe"] = {end(0)};
  make();
  const u32 pid = spawn("short.exe", 0);
  wait(kSecond, pid);
  const u64 now = machine_->now_ns();
  EXPECT_EQ(wait(kSecond, pid).text, "");
  EXPECT_EQ(machine_->now_ns(), now);
  EXPECT_EQ(wait(kSecond, 4).text, "the simulated machine has no process 4");
  EXPECT_EQ(machine_->now_ns(), now);
}

TEST_F(MachineTest, SleepersWakeOnTime) {
  // The wake-up time is between two ticks and not on a cycle boundary. The program wakes at the first cycle at or after
  // that time.
  constexpr u64 kSleep = 5'000'500, kCall = (1 + kCallCycles) * 1000;
  scripts_["sleeper.exe"] = {sleep(kSleep), end(0)};
  make("pace=free,mhz=1");
  const u32 pid = spawn("sleeper.exe", 2);
  wait(kSecond, pid);
  EXPECT_EQ(machine_->now_ns(), kCall + kSleep + 500 + kCall);
  EXPECT_EQ(cycles(2, Level::user), 2u);
}

TEST_F(MachineTest, ProgramsOfOneCoreTakeTurns) {
  scripts_["half.exe"] = {work(50'000'000), end(0)};
  make();
  const u32 first = spawn("half.exe", 3);
  const u32 second = spawn("half.exe", 3);
  wait(2 * kSecond, first);
  // The two programs differ by one slice of 1 ms at the end of 1 s.
  EXPECT_NEAR(static_cast<double>(machine_->now_ns()), 1e9, 3e6);
  EXPECT_TRUE(machine_->find(second)->running);
  EXPECT_NEAR(parts_->logs[3].switches, 1000, 10);
  wait(2 * kSecond, second);
  EXPECT_FALSE(machine_->find(second)->running);
}

TEST_F(MachineTest, SleeperYieldsToTheOther) {
  scripts_["nap.exe"] = {sleep(300 * kMillisecond), work(10), end(0)};
  make();
  const u32 nap = spawn("nap.exe", 0);
  spawn("busy.exe", 0);
  wait(kSecond, nap);
  EXPECT_NEAR(static_cast<double>(machine_->now_ns()), 300e6, 2e6);
  EXPECT_NEAR(static_cast<double>(cycles(0, Level::user)), 30e6, 3e5);
}

TEST_F(MachineTest, ProgramsAreChargedWhatTheyRanAndNotWhatTheyWaited) {
  scripts_["half.exe"] = {work(50'000'000), end(0)};
  scripts_["nap.exe"] = {sleep(300 * kMillisecond), work(10), end(0)};
  make();
  const u32 first = spawn("half.exe", 3), second = spawn("half.exe", 3), nap = spawn("nap.exe", 5);
  const auto ran_ns = [&](u32 pid) { return machine_->find(pid)->user_ns + machine_->find(pid)->system_ns; };
  EXPECT_EQ(ran_ns(first), 0u);
  wait(2 * kSecond, second);
  for (const u32 pid : {first, second}) EXPECT_NEAR(static_cast<double>(machine_->find(pid)->user_ns), 5e8, 1e4);
  const u64 both_ns = ran_ns(first) + ran_ns(second);
  EXPECT_LE(both_ns, machine_->now_ns());
  EXPECT_GT(both_ns, machine_->now_ns() - 50'000);  // the first tick belongs to no program
  EXPECT_GT(machine_->find(nap)->system_ns, 0u);
  EXPECT_LT(ran_ns(nap), kMillisecond);
}

TEST_F(MachineTest, TimerFiresAtItsTimesExactly) {
  struct Log {
    Machine* machine;
    std::vector<u64> times;
  };
  for (const bool busy : {false, true}) {
    make();
    if (busy) spawn("busy.exe", 5);
    wait(777);
    Log log{machine_.get(), {}};
    machine_->start_timer(
        10 * kMillisecond,
        [](void* context) {
          Log* into = static_cast<Log*>(context);
          into->times.push_back(into->machine->now_ns());
          if (into->times.size() == 7) into->machine->stop_timer();
        },
        &log);
    wait(35 * kMillisecond);
    wait(100 * kMillisecond);
    ASSERT_EQ(log.times.size(), 7u);
    for (u64 i = 0; i < 7; ++i) EXPECT_EQ(log.times[i], 777 + (i + 1) * 10 * kMillisecond);
  }
}

TEST_F(MachineTest, CrashesEndTheProgramAndAreTold) {
  scripts_["wild.exe"] = {work(100), {Step::Kind::fault, 0}};
  scripts_["call.exe"] = {{Step::Kind::crash, 0}};
  make();
  for (const std::string name : {"wild.exe", "call.exe"}) {
    const u32 pid = spawn(name, 0);
    const MachineError error = wait(kSecond, pid);
    EXPECT_EQ(error.text, name + " (process " + std::to_string(pid) + ") crashed on the simulated machine: " +
                              (name == "wild.exe" ? "read of unmapped address 0x10" : "unsupported call"));
    EXPECT_NE(error.hint, "");
    EXPECT_FALSE(machine_->find(pid)->running);
    EXPECT_EQ(machine_->find(pid)->exit_code, 0xc0000005u);
    EXPECT_LT(machine_->now_ns(), kMillisecond);
  }
}

TEST_F(MachineTest, KilledProgramsCountNoMore) {
  make();
  const u32 pid = spawn("busy.exe", 0);
  wait(kMillisecond);
  const u64 spent = cycles(0, Level::user);
  machine_->kill(pid);
  machine_->kill(pid);
  EXPECT_FALSE(machine_->find(pid)->running);
  EXPECT_EQ(machine_->find(pid)->exit_code, 1u);
  wait(kMillisecond);
  EXPECT_EQ(cycles(0, Level::user), spent);
}

TEST_F(MachineTest, BadSpawnsAreRefused) {
  make("pace=free,cores=2");
  MachineError error;
  EXPECT_EQ(machine_->spawn({"busy.exe", "busy.exe", 2}, error), 0u);
  EXPECT_EQ(error.text, "the simulated machine has no core 2");
  EXPECT_EQ(error.hint, "its cores are 0 to 1");
  EXPECT_EQ(machine_->spawn({"none.exe", "none.exe", 1}, error), 0u);
  EXPECT_TRUE(error.text.ends_with(" none.exe")) << error.text;
}

TEST_F(MachineTest, SameCallsSameCounts) {
  scripts_["mixed.exe"] = {work(3'333'333), sleep(7 * kMillisecond), work(999), sleep(kMillisecond), work(kForever)};
  const auto run = [&] {
    make();
    for (u32 core : {0u, 0u, 3u, 7u}) spawn("mixed.exe", core);
    wait(123'456'789);
    std::vector<u64> all;
    for (u32 core = 0; core < 8; ++core) {
      all.push_back(cycles(core, Level::user));
      all.push_back(cycles(core, Level::kernel));
    }
    return all;
  };
  const std::vector<u64> first = run();
  EXPECT_EQ(run(), first);
  EXPECT_GT(first[0], 0u);
}

TEST_F(MachineTest, RealPaceKeepsTheWallClock) {
  make("pace=real");
  spawn("busy.exe", 0);
  const auto start = std::chrono::steady_clock::now();
  wait(60 * kMillisecond);
  wait(40 * kMillisecond);
  EXPECT_GE(std::chrono::steady_clock::now() - start, std::chrono::milliseconds(100));
}

TEST(VirtualClock, ConversionsAgree) {
  for (u32 mhz : {1u, 7u, 100u, 2600u, 3333u, 10000u}) {
    const VirtualClock clock(mhz);
    EXPECT_EQ(clock.cycles_at(1000), mhz);
    for (u64 cycles : {u64{0}, u64{1}, u64{6}, u64{7}, u64{99'999}, u64{1} << 50}) {
      EXPECT_GE(clock.cycles_at(clock.ns_at(cycles)), cycles);
      EXPECT_LE(clock.cycles_at(clock.ns_at(cycles)), cycles + mhz / 1000);
    }
    for (u64 ns : {u64{1}, u64{999}, u64{1000}, u64{1001}, u64{123'456'789'012}})
      EXPECT_LE(clock.cycles_not_before(ns) - clock.cycles_at(ns), 1u);
  }
}

// A PMU with one counter of cycles; its handler sets the counter again.
class FakeInterrupts final : public OverflowInterrupts {
 public:
  FakeInterrupts(Machine& machine, u64 interval, bool kernel)
      : machine_(machine), interval_(interval), kernel_(kernel) {}
  bool armed(u32 core) override { return core == 1; }
  std::span<const EventWatch> watches(u32 core) override {
    watch_ = {0x11, next_ - count(core)};
    return {&watch_, 1};
  }
  bool pending(u32 core) override { return count(core) >= next_; }
  void take(u32 core, const Interrupted& what) override {
    taken.push_back(what);
    times.push_back(machine_.time_ns());
    while (next_ <= count(core)) next_ += interval_;
  }
  std::vector<Interrupted> taken;
  std::vector<u64> times;

 private:
  u64 count(u32 core) const {
    const SignalCounts& signals = machine_.signals(core);
    return signals(Level::user, Signal::cycles) + (kernel_ ? signals(Level::kernel, Signal::cycles) : 0);
  }
  Machine& machine_;
  u64 interval_, next_ = interval_;
  bool kernel_;
  EventWatch watch_;
};

TEST_F(MachineTest, OverflowInterruptsComeAtTheInstruction) {
  make();
  const u32 pid = spawn("busy.exe", 1);
  spawn("busy.exe", 2);
  FakeInterrupts interrupts(*machine_, 1000, false);
  machine_->connect(&interrupts);
  wait(10 * kMillisecond);
  machine_->connect(nullptr);
  const u64 count = cycles(1, Level::user) / 1000;
  ASSERT_EQ(interrupts.taken.size(), count);
  EXPECT_EQ(parts_->logs[1].interrupts, count);
  EXPECT_EQ(parts_->logs[2].interrupts, 0u);
  for (u64 i = 0; i < count; ++i) {
    const Interrupted& taken = interrupts.taken[i];
    EXPECT_EQ(taken.pc, kCodeStart + 4 * (1000 * (i + 1) - 1));
    EXPECT_EQ(taken.lr, kCallerLink);
    EXPECT_EQ(taken.process, pid);
    EXPECT_EQ(taken.thread, pid + 4);
    EXPECT_EQ(taken.level, Level::user);
    if (i != 0) {
      const u64 passed = interrupts.times[i] - interrupts.times[i - 1];
      EXPECT_GE(passed, 10 * (1000 + kInterruptCycles));
      EXPECT_LE(passed, 10 * (1000 + kInterruptCycles + kTickCycles + kCallCycles));
    }
  }
  wait(10 * kMillisecond);
  EXPECT_EQ(interrupts.taken.size(), count);
}

TEST_F(MachineTest, OverflowsInTheKernelAreToldWithTheirWork) {
  scripts_["calls.exe"] = Script(30, work(137));
  make();
  FakeInterrupts interrupts(*machine_, kTickCycles, true);
  machine_->connect(&interrupts);
  wait(kSecond / 10);  // idle: only ticks
  ASSERT_FALSE(interrupts.taken.empty());
  for (const Interrupted& taken : interrupts.taken) {
    EXPECT_EQ(taken.level, Level::kernel);
    EXPECT_EQ(taken.process, 0u);
    EXPECT_EQ(taken.lr, 0u);
    EXPECT_TRUE(taken.pc == kernel_address(KernelWork::timer_tick) ||
                taken.pc == kernel_address(KernelWork::overflow_interrupt));
  }
  EXPECT_EQ(interrupts.taken[0].pc, kernel_address(KernelWork::timer_tick));
  interrupts.taken.clear();
  const u32 pid = spawn("calls.exe", 1);
  wait(kMillisecond, pid);
  u32 calls = 0;
  for (const Interrupted& taken : interrupts.taken) {
    EXPECT_EQ(taken.process, pid);
    calls += taken.pc == kernel_address(KernelWork::system_call);
  }
  EXPECT_GE(calls, 1u);
  machine_->connect(nullptr);
}

// A counter that overflows again in its own handler leaves no time for other work, but virtual time passes.
TEST_F(MachineTest, AStormOfInterruptsEndsWithTheWait) {
  make();
  spawn("busy.exe", 1);
  FakeInterrupts interrupts(*machine_, kInterruptCycles, true);
  machine_->connect(&interrupts);
  EXPECT_EQ(wait(kMillisecond).text, "");
  EXPECT_EQ(machine_->now_ns(), kMillisecond);
  EXPECT_GT(interrupts.taken.size(), 1000u);
  machine_->connect(nullptr);
}

TEST_F(MachineTest, ProgramsAreKnownAfterTheirEnd) {
  scripts_["short.exe"] = {work(1000), end(7)};
  make();
  const u32 first = spawn("short.exe", 0), second = spawn("busy.exe", 3);
  EXPECT_EQ(machine_->details(999), nullptr);
  wait(kMillisecond);
  EXPECT_EQ(machine_->programs(), (std::vector<u32>{first, second}));
  const ProgramDetails* const ended = machine_->details(first);
  ASSERT_NE(ended, nullptr);
  EXPECT_FALSE(ended->status.running);
  EXPECT_EQ(ended->status.exit_code, 7u);
  EXPECT_EQ(ended->image_path, "short.exe");
  EXPECT_EQ(ended->threads, std::vector<u32>{first + 4});
  EXPECT_TRUE(machine_->details(second)->status.running);
  EXPECT_EQ(machine_->details(second)->status.core, 3u);
}

}  // namespace
}  // namespace wperf::sim
