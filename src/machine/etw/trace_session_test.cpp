// SPDX-License-Identifier: BSD-3-Clause
// Recordings with the fake Windows, and the reaction to each of its errors: no session or source may be left over.
#include "machine/etw/trace_session.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <fstream>
#include <functional>

#include "formats/etl/kernel_events.h"
#include "formats/etl/kernel_payloads.h"
#include "formats/etl/trace.h"
#include "formats/etl/trace_text.h"
#include "ground/diag/names_all_test.h"
#include "machine/etw/system_state.h"
#include "machine/etw/trace_calls.h"
#include "sim/tracing/played_machine_test.h"

namespace wperf::etw {
namespace {

using namespace fake;

struct Case : testing::Test {
  PlayedMachine machine;
  // A name for each process, because tests run in parallel.
  std::string file =
      testing::TempDir() + "wperf-session-" + testing::UnitTest::GetInstance()->current_test_info()->name() + ".etl";
  ~Case() override { std::remove(file.c_str()); }

  SessionPlan plan(std::vector<WantedSource> sources = {{.name = "timer", .number = kTimer, .interval = 2500}}) const {
    SessionPlan made;
    made.sources = std::move(sources);
    made.cores = 2;
    made.file = file;
    return made;
  }
  // Visits every event of the recording.
  void read(const std::function<void(const etl::Event&)>& visit) const {
    std::ifstream stream(file, std::ios::binary);
    const std::string bytes{std::istreambuf_iterator<char>(stream), {}};
    const auto trace = etl::Trace::open(std::as_bytes(std::span(bytes)));
    ASSERT_TRUE(trace.has_value());
    etl::TraceLosses losses;
    trace.value().for_each_event(visit, losses);
    EXPECT_EQ(losses.damaged_buffers + losses.out_of_order, 0u);
  }
  static std::string refusal(FakeTraceApi& api, const SessionPlan& plan) {
    const auto started = Session::start(api, plan);
    return started.has_value() ? "" : started.error().text;
  }
};
using EtwSession = Case;

TEST_F(EtwSession, RecordsATraceThatTheImporterReads) {
  FakeTraceApi api({}, machine);
  auto started = Session::start(api, plan());
  ASSERT_TRUE(started.has_value());
  EXPECT_EQ(machine.sampled.at(0).interval, 2500u);
  EXPECT_TRUE(machine.with_stacks);
  EXPECT_EQ(api.sessions().size(), 1u);
  const auto state = started.value()->state();
  ASSERT_TRUE(state.has_value());
  EXPECT_EQ(state.value().events_lost, 3u);
  ASSERT_TRUE(started.value()->stop().has_value());
  EXPECT_TRUE(api.sessions().empty());
  EXPECT_EQ(api.intervals().at(kTimer), kUsualTimerInterval);  // as before
  std::ifstream stream(file, std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(stream), {}};
  const auto trace = etl::Trace::open(std::as_bytes(std::span(bytes)));
  ASSERT_TRUE(trace.has_value());
  EXPECT_EQ(trace.value().header().events_lost, 3u);
  u64 samples = 0, stacks = 0;
  etl::TraceLosses losses;
  trace.value().for_each_event(
      [&](const etl::Event& event) {
        samples += etl::sample_event(event).has_value();
        stacks += etl::stack_event(event).has_value();
      },
      losses);
  EXPECT_EQ(samples, 20u);
  EXPECT_EQ(stacks, 20u);
}

TEST_F(EtwSession, RecordsSwitchesWithTheirStacks) {
  FakeTraceApi api({}, machine);
  SessionPlan wanted = plan({});
  wanted.switches = true;
  auto started = Session::start(api, wanted);
  ASSERT_TRUE(started.has_value());
  EXPECT_TRUE(machine.watched);
  EXPECT_TRUE(machine.sampled.empty());
  EXPECT_EQ(machine.visits.size(), 1u);  // each core has switched once
  ASSERT_TRUE(started.value()->stop().has_value());
  EXPECT_EQ(machine.visits, (std::vector<std::pair<u32, u32>>(2, {4242, 4243})));
  std::string seen;
  read([&](const etl::Event& event) {
    if (const auto change = etl::switch_event(event)) {
      seen += "switch " + std::to_string(change->old_thread) + "-" + std::to_string(change->new_thread) + " " +
              std::to_string(change->old_state) + "/" + std::to_string(change->old_wait_reason) + ";";
      EXPECT_TRUE(event.counters.empty());
    }
    if (const auto ready = etl::ready_event(event)) {
      seen += "ready " + std::to_string(ready->thread) + (ready->flags == 1 ? " by a timer;" : ";");
    }
    if (const auto stack = etl::stack_event(event)) seen += "stack " + std::to_string(stack->frames.size() / 8) + ";";
  });
  EXPECT_EQ(seen,
            "switch 0-12 0/6;stack 1;stack 2;switch 12-0 5/6;stack 1;stack 2;ready 12 by a timer;stack 1;stack 2;"
            "switch 0-12 0/6;stack 1;stack 2;");
}

TEST_F(EtwSession, SwitchesCarryWhatCoresCounted) {
  FakeTraceApi api({}, machine);
  SessionPlan wanted = plan({});
  wanted.stacks = false;
  wanted.counted = {{.name = "totalcycles", .number = 19},
                    {.name = "ld_spec", .number = {}, .event = 0x70, .interval = kUsualInterval}};
  {
    auto started = Session::start(api, wanted);
    ASSERT_TRUE(started.has_value());
    ASSERT_EQ(machine.counted.size(), 2u);
    EXPECT_EQ(machine.counted[0].source, 19u);
    EXPECT_EQ(machine.counted[1].event, 0x70u);
  }
  EXPECT_TRUE(api.added_sources().empty());
  EXPECT_EQ(most_counters(api), 4u);
  usize switches = 0;
  read([&](const etl::Event& event) {
    EXPECT_FALSE(etl::stack_event(event).has_value());
    EXPECT_FALSE(etl::ready_event(event).has_value());  // they were not requested
    if (!etl::switch_event(event).has_value()) return;
    ASSERT_EQ(event.counters.size(), 16u);
    EXPECT_EQ(etl::field<u64>(event.counters, 0), etl::field<u64>(event.counters, 8));
    ++switches;
  });
  EXPECT_EQ(switches, 3u);
}

TEST_F(EtwSession, CountersThatCannotBeHadAreSaid) {
  struct Refusal {
    const char* words;
    std::function<void(FakeWindows&)> wrong;
  };
  for (const Refusal& one :
       {Refusal{"another session uses the counters", [](FakeWindows& windows) { windows.owned_sources = {8}; }},
        Refusal{"cannot count these events", [](FakeWindows& windows) { windows.most_counters = 1; }},
        Refusal{"refuses to count these events", [](FakeWindows& windows) {
                  windows.sources = usual_sources();
                  std::erase_if(windows.sources, [](const ProfileSource& source) { return source.number == 8; });
                }}}) {
    FakeWindows windows;
    one.wrong(windows);
    FakeTraceApi api(windows, machine);
    SessionPlan wanted = plan({});
    wanted.counted = {{.name = "dcachemisses", .number = 8}, {.name = "totalcycles", .number = 19}};
    EXPECT_NE(refusal(api, wanted).find(one.words), std::string::npos) << refusal(api, wanted);
    EXPECT_TRUE(api.sessions().empty());
  }
}

TEST_F(EtwSession, ADroppedSessionIsEnded) {
  FakeTraceApi api({}, machine);
  {
    ASSERT_TRUE(Session::start(api, plan()).has_value());
  }
  EXPECT_TRUE(api.sessions().empty());
  EXPECT_EQ(api.intervals().at(kTimer), kUsualTimerInterval);
}

TEST_F(EtwSession, AnEventIsAddedAsASourceAndTakenAwayAgain) {
  FakeTraceApi api({}, machine);
  {
    auto started = Session::start(api, plan({{.name = "ld_spec", .number = {}, .event = 0x70, .interval = 100'000}}));
    ASSERT_TRUE(started.has_value());
    ASSERT_EQ(api.added_sources().size(), 1u);
    EXPECT_EQ(machine.sampled.at(0).event, 0x70u);
    EXPECT_EQ(machine.sampled.at(0).interval, 100'000u);
    const auto sources = list_sources(api);
    ASSERT_TRUE(sources.has_value());
    EXPECT_EQ(sources.value().back().name, "wperf.0x0070 ld_spec");
  }
  EXPECT_TRUE(api.added_sources().empty());
}

TEST_F(EtwSession, ASourceThatWasThereBeforeStays) {
  FakeWindows windows{.sources = usual_sources()};
  windows.sources.push_back({77, kLeastInterval, 1'000'000, "wperf.0x0070"});
  FakeTraceApi api(windows, machine);
  {
    ASSERT_TRUE(
        Session::start(api, plan({{.name = "ld_spec", .number = {}, .event = 0x70, .interval = 9000}})).has_value());
  }
  EXPECT_EQ(api.windows().sources.back().number, 77u);
  EXPECT_EQ(api.intervals().at(77), kUsualInterval);
}

TEST_F(EtwSession, SessionsThatAKilledWperfLeftAreEnded) {
  FakeWindows windows;
  windows.sessions = {u"wperf recording 7", u"wperf recording 8", u"Circular Kernel Context Logger",
                      u"wperf recording x"};
  windows.processes = {8};
  FakeTraceApi api(windows, machine);
  auto started = Session::start(api, plan());
  ASSERT_TRUE(started.has_value());
  EXPECT_EQ(api.windows().sessions.size(), 3u);  // sessions of other programs, and one of a running wperf
  EXPECT_NE(started.value()->remarks().front().find("wperf recording 7"), std::string::npos);
}

TEST_F(EtwSession, EachRefusalIsSaidAndNothingStays) {
  struct Refusal {
    const char* words;
    std::function<void(FakeWindows&)> wrong;
    std::vector<WantedSource> sources = {{.name = "timer", .number = kTimer, .interval = 2500}};
  };
  const std::vector<WantedSource> misses{{.name = "dcachemisses", .number = 8, .interval = 9000}};
  const std::vector<WantedSource> added{{.name = "ld_spec", .number = {}, .event = 0x70, .interval = 9000}};
  std::vector<WantedSource> five = added;
  for (const u32 number : {2, 6, 8, 9}) five.push_back({.name = "x", .number = number, .interval = 9000});
  const std::vector<Refusal> refusals = {
      {"this user is not allowed to", [](FakeWindows& windows) { windows.elevated = false; }},
      {"SeSystemProfilePrivilege", [](FakeWindows& windows) { windows.may_profile = false; }},
      {"virtual machine", [](FakeWindows& windows) { windows.hypervisor = true; }},
      {"all its trace sessions are in use",
       [](FakeWindows& windows) {
         windows.most_sessions = 0;
         windows.sessions = {std::u16string(kKernelLogger)};
       }},
      {"\"wperf recording 4242\" already exists",
       [](FakeWindows& windows) { windows.sessions = {u"wperf recording 4242"}; }},
      {"the disk is full", [](FakeWindows& windows) { windows.disk_full = true; }, added},
      {"another session uses the counters", [](FakeWindows& windows) { windows.owned_sources = {8}; }, misses},
      {"ld_spec (event 0x70)", [](FakeWindows& windows) { windows.takes_sources = false; }, added},
      {"cannot sample these events at once", [](FakeWindows&) {}, five},
      {"refuses to sample timer each 100", [](FakeWindows&) {}, {{.name = "timer", .number = kTimer, .interval = 100}}},
      {"refuses to sample gone each 9000", [](FakeWindows&) {}, {{.name = "gone", .number = 99, .interval = 9000}}},
  };
  for (const Refusal& one : refusals) {
    FakeWindows windows;
    one.wrong(windows);
    const std::vector<std::u16string> there = windows.sessions;
    FakeTraceApi api(windows, machine);
    const std::map<u32, u32> intervals = api.intervals();
    EXPECT_NE(refusal(api, plan(one.sources)).find(one.words), std::string::npos) << one.words << "\n"
                                                                                  << refusal(api, plan(one.sources));
    EXPECT_EQ(api.sessions(), there) << one.words;
    EXPECT_EQ(api.intervals(), intervals) << one.words;
    EXPECT_TRUE(api.added_sources().empty()) << one.words;
  }
}

TEST_F(EtwSession, OneThatSomebodyElseEndedIsSaid) {
  FakeTraceApi api({}, machine);
  auto started = Session::start(api, plan());
  ASSERT_TRUE(started.has_value());
  Bytes properties = properties_bytes({});
  ASSERT_EQ(api.control(0, u"wperf recording 4242", properties, ControlCode::stop), kNoError);
  const auto state = started.value()->state();
  ASSERT_FALSE(state.has_value());
  EXPECT_NE(state.error().text.find("another program ended"), std::string::npos);
  EXPECT_TRUE(started.value()->stop().has_value());
}

// Windows' buffers: each core fills one, and full ones wait for the disk, which writes one at a time.
class PlayedBuffers {
 public:
  PlayedBuffers(u32 cores, u32 buffers, u64 disk_bytes_per_ms)
      : free_(buffers - cores), filled_(cores), disk_bytes_per_ms_(disk_bytes_per_ms) {}
  void put(u32 core, u64 bytes) {
    if (filled_[core] + bytes > kBuffer) {
      if (free_ == 0) {
        ++lost;
        return;
      }
      --free_;
      waiting_ += kBuffer;
      filled_[core] = 0;
    }
    filled_[core] += bytes;
  }
  // One millisecond of a disk that works.
  void write() {
    written_ += std::min(disk_bytes_per_ms_, waiting_ - std::min(written_, waiting_));
    while (waiting_ >= kBuffer && written_ >= kBuffer) {
      waiting_ -= kBuffer;
      written_ -= kBuffer;
      ++free_;
    }
  }
  u64 lost = 0;

 private:
  static constexpr u64 kBuffer = (1 << 20) - 0x48;
  u32 free_;
  std::vector<u64> filled_;
  u64 disk_bytes_per_ms_;
  u64 waiting_ = 0, written_ = 0;  // bytes that wait for the disk, and bytes written of the current buffer
};

// 8 cores × 8 kHz with 40 frames, and a disk with 100 MB a second that stops for two of five seconds.
u64 lost_of(u32 buffers) {
  const std::vector<u64> frames(40, 0x7ff612345678);
  const u64 bytes =
      etl::write::timer_sample(1, frames.front(), 12).size() + etl::write::stack(1, 1, 8, 12, frames).size();
  constexpr u32 kCores = 8, kPerMillisecond = 8;
  PlayedBuffers played(kCores, buffers, 100'000);
  for (u32 ms = 0; ms < 5000; ++ms) {
    for (u32 core = 0; core < kCores; ++core) {
      for (u32 i = 0; i < kPerMillisecond; ++i) played.put(core, bytes);
    }
    if (ms < 1000 || ms >= 3000) played.write();
  }
  return played.lost;
}

TEST(EtwBuffers, LoseNothingWhileTheDiskStandsStillForTwoSeconds) {
  EXPECT_EQ(lost_of(buffers_for(8, 8000, true)), 0u);
  EXPECT_GT(lost_of(buffers_for(8, 8000, true) / 2), 0u);
}

TEST(EtwBuffers, HoldTwoSeconds) {
  EXPECT_EQ(buffers_for(1, 1000, true), 64u);
  const u32 many = buffers_for(8, 8000, true);
  EXPECT_GE(u64{many} << 20, u64{8} * 8000 * (40 + 24 + 8 * 40) * 2);
  EXPECT_LE(many, 64u);  // megabytes
  EXPECT_EQ(buffers_for(300, 1'000'000, true), 2048u);
}

TEST_F(EtwSession, TheKernelLoggerIsTakenWhereAllOthersAreInUse) {
  FakeWindows windows;
  windows.most_sessions = 0;
  FakeTraceApi api(windows, machine);
  auto started = Session::start(api, plan());
  ASSERT_TRUE(started.has_value()) << started.error().text;
  EXPECT_EQ(api.sessions(), std::vector<std::u16string>{std::u16string(kKernelLogger)});
  EXPECT_NE(started.value()->remarks().back().find("NT Kernel Logger"), std::string::npos);
  ASSERT_TRUE(started.value()->state().has_value());
  ASSERT_TRUE(started.value()->stop().has_value());
  EXPECT_TRUE(api.sessions().empty());
}

TEST_F(EtwSession, TheKernelLoggersOwnerIsRegisteredBeforeItExists) {
  FakeWindows windows;
  windows.most_sessions = 0;
  FakeTraceApi api(windows, machine);
  std::optional<std::map<std::string, std::string>> kept;
  machine.when_asked = [&] {
    if (!kept.has_value()) kept = api.windows().kept;
  };
  auto started = Session::start(api, plan({}));
  ASSERT_TRUE(started.has_value()) << started.error().text;
  ASSERT_TRUE(kept.has_value());
  EXPECT_EQ((*kept)["process and file of the kernel logger"], "4242 " + file);
  started.value().reset();
  EXPECT_TRUE(api.windows().kept.empty());
}

TEST_F(EtwSession, FailedKernelLoggerStartRegistersNoOwner) {
  FakeWindows windows;
  windows.most_sessions = 0;
  windows.disk_full = true;
  FakeTraceApi api(windows, machine);
  EXPECT_NE(refusal(api, plan()), "");
  EXPECT_TRUE(api.windows().kept.empty());
  api.windows().sessions = {std::u16string(kKernelLogger)};
  api.windows().kernel_logger_file = "C:\\its.etl";
  api.windows().processes = {77};
  api.windows().kept = {{"process and file of the kernel logger", "77 C:\\its.etl"}};
  EXPECT_NE(refusal(api, plan()), "");
  EXPECT_EQ(api.windows().kept["process and file of the kernel logger"], "77 C:\\its.etl");
}

TEST_F(EtwSession, LastSessionRestoresOriginalIntervals) {
  FakeWindows windows;
  windows.processes = {1, 2};
  FakeTraceApi api(windows, machine);
  const std::vector<WantedSource> added{{.name = "ld_spec", .number = {}, .event = 0x70, .interval = 9000}};
  const auto with = [&](u32 interval) {
    SessionPlan both = plan(added);
    both.sources.push_back({.name = "timer", .number = kTimer, .interval = interval});
    return both;
  };
  api.become(1);
  auto first = Session::start(api, with(2500));
  ASSERT_TRUE(first.has_value());
  api.become(2);
  auto second = Session::start(api, with(5000));
  ASSERT_TRUE(second.has_value()) << second.error().text;
  ASSERT_TRUE(first.value()->stop().has_value());
  EXPECT_EQ(api.intervals().at(kTimer), 5000u) << "the second one records at this";
  EXPECT_EQ(api.added_sources().size(), 1u) << "the second one samples it";
  ASSERT_TRUE(second.value()->stop().has_value());
  EXPECT_EQ(api.intervals().at(kTimer), kUsualTimerInterval);
  EXPECT_TRUE(api.added_sources().empty());
  EXPECT_TRUE(api.windows().kept.empty());
  EXPECT_EQ(api.changing(), 0);
}

TEST_F(EtwSession, IntervalsChangedByKilledRunAreRestored) {
  FakeWindows windows;
  windows.kept = {{"interval of source 0", "10000"}};
  FakeTraceApi api(windows, machine);
  ASSERT_EQ(api.enable_privilege(), kNoError);
  ASSERT_EQ(api.set(0, TraceClass::sampling_interval, interval_bytes({kTimer, 2500})), kNoError);
  {
    auto started = Session::start(api, plan({{.name = "timer", .number = kTimer, .interval = 5000}}));
    ASSERT_TRUE(started.has_value());
    EXPECT_EQ(api.intervals().at(kTimer), 5000u);
  }
  EXPECT_EQ(api.intervals().at(kTimer), 10'000u);
}

TEST_F(EtwSession, TraceSizeLimitIsReported) {
  FakeWindows windows;
  windows.free_bytes = 2 << 20;
  FakeTraceApi api(windows, machine);
  auto started = Session::start(api, plan());
  ASSERT_TRUE(started.has_value());
  EXPECT_NE(started.value()->remarks().back().find("a file of 1 MB at most"), std::string::npos);
  std::string told;
  for (int i = 0; i < 100 && told.empty(); ++i) {
    const auto state = started.value()->state();
    if (!state.has_value()) told = state.error().text;
  }
  EXPECT_TRUE(diag::names_all(told, {"trace", "limit of 1 MB"}));
  ASSERT_TRUE(started.value()->stop().has_value());
  EXPECT_TRUE(api.sessions().empty());
}

TEST_F(EtwSession, FullTraceIsReportedAtStop) {
  FakeWindows windows;
  windows.free_bytes = 2 << 20;
  FakeTraceApi api(windows, machine);
  auto started = Session::start(api, plan());
  ASSERT_TRUE(started.has_value());
  Bytes properties = properties_bytes({});
  for (int i = 0; i < 100 && !api.sessions().empty(); ++i)
    (void)api.control(0, api.sessions().front(), properties, ControlCode::query);
  const auto stopped = started.value()->stop();
  ASSERT_FALSE(stopped.has_value());
  EXPECT_NE(stopped.error().text.find("its limit of 1 MB"), std::string::npos);
}

}  // namespace
}  // namespace wperf::etw
