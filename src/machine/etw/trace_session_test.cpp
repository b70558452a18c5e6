// SPDX-License-Identifier: BSD-3-Clause
// Checks the requests to Windows byte by byte, and the reaction to each error: no session or source may be left over.
// Long because all tests share one simulated machine and one fake Windows.
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
#include "sim/tracing/fake_trace_api.h"

namespace wperf::etw {
namespace {

using namespace fake;

// A core that samples thread 12 of process 8 every millisecond.
class PlayedMachine final : public FakeMachine {
 public:
  u64 now_ns() override {
    if (when_asked) when_asked();
    return now_;
  }
  std::vector<u64> core_midr() override { return {0x413fd0c1, 0x413fd0c1}; }
  diag::Result<void> begin(std::span<const Sampling> sources, bool stacks) override {
    sampled.assign(sources.begin(), sources.end());
    with_stacks = stacks;
    return {};
  }
  diag::Result<u64> drain(std::vector<FakeSample>& samples) override {
    for (u32 i = 0; i < 10; ++i) {
      now_ += 1'000'000;
      samples.push_back({.time_ns = now_,
                         .address = 0x7010,
                         .process = 8,
                         .thread = 12,
                         .source = sampled.front().source,
                         .core = 1,
                         .kernel_frames = {},
                         .user_frames = {0x7010, 0x7100}});
    }
    return u64{3};
  }
  diag::Result<void> end() override { return {}; }
  std::vector<FakeProcess> processes() override {
    return {{.process = 8, .path = "C:\\a.exe", .threads = {12}, .images = {{"C:\\a.exe", 0x7000, 0x3000}}}};
  }
  void watch_switches(std::span<const Sampling> sources) override {
    counted.assign(sources.begin(), sources.end());
    watched = true;
  }
  // Thread 12 runs, waits 3 ms, is woken by a timer, and runs again.
  void take_switches(std::vector<FakeSwitch>& switches) override {
    using Kind = FakeSwitch::Kind;
    const auto add = [&](Kind kind, u32 process, u32 thread, u32 old_process, u32 old_thread, u8 state) {
      now_ += 1'000'000;
      switches.push_back({.time_ns = now_,
                          .kind = kind,
                          .core = 1,
                          .process = process,
                          .thread = thread,
                          .old_process = old_process,
                          .old_thread = old_thread,
                          .state = state,
                          .reason = 6,
                          .kernel_frames = {0xfffff80000000000},
                          .user_frames = {0x7020, 0x7100},
                          .counts = std::vector<u64>(counted.size(), now_ / 1000)});
    };
    add(Kind::switched, 8, 12, 0, 0, 0);
    add(Kind::switched, 0, 0, 8, 12, 5);
    now_ += 2'000'000;
    add(Kind::readied, 8, 12, 0, 0, 0);
    add(Kind::switched, 8, 12, 0, 0, 0);
  }
  void visit_cores(u32 process, u32 thread) override { visits.emplace_back(process, thread); }
  std::vector<Sampling> sampled, counted;
  bool with_stacks = false, watched = false;
  std::vector<std::pair<u32, u32>> visits;
  std::function<void()> when_asked;  // called when the time is requested, as at the start of a session

 private:
  u64 now_ = 5'000'000;
};

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

// The fake checks everything that Windows checks. Each of these requests differs from a valid one in one value.
TEST_F(EtwSession, TheFakeRefusesWhatWindowsWould) {
  FakeTraceApi api({}, machine);
  u64 handle = 0;
  const SessionProperties good{.least_buffers = 64,
                               .most_buffers = 128,
                               .log_file_mode = kSequential | kSystemLogger,
                               .enable_flags = 7,
                               .file = file};
  Bytes early = properties_bytes(good);
  EXPECT_EQ(api.start(handle, u"a", early), kAccessDenied);  // the privilege is missing
  EXPECT_EQ(api.set(0, TraceClass::sampling_interval, interval_bytes({kTimer, 5000})), kPrivilegeNotHeld);
  ASSERT_EQ(api.enable_privilege(), kNoError);

  const auto start = [&](WindowsError expected, const std::function<void(Bytes&)>& change,
                         const std::u16string& name = u"a") {
    Bytes bytes = properties_bytes(good);
    change(bytes);
    EXPECT_EQ(api.start(handle, name, bytes), expected);
  };
  const auto put32 = [](usize at, u32 value) { return [=](Bytes& bytes) { put_at(std::span(bytes), at, value); }; };
  start(kBadLength, [](Bytes& bytes) { bytes.resize(100); });
  start(kBadLength, [](Bytes& bytes) { bytes.pop_back(); });
  start(kBadLength, put32(0, 120));    // its own size is wrong
  start(kBadLength, put32(44, 0));     // WNODE_FLAG_TRACED_GUID
  start(kBadLength, put32(116, 0));    // no position for the name
  start(kBadLength, put32(116, 119));  // the name overlaps the numbers
  start(kBadLength, put32(112, 121));  // odd
  start(kBadLength, put32(112, 0x7fffffff));
  start(kBadLength, put32(112, 120));       // the position of the other name
  start(kInvalidParameter, put32(112, 0));  // no file
  start(kInvalidParameter, put32(40, 0));   // no clock
  start(kInvalidParameter, put32(40, 4));
  start(kInvalidParameter, put32(48, 0));  // buffers of size 0
  start(kInvalidParameter, put32(48, 64 * 1024));
  start(kInvalidParameter, put32(52, 1000));  // the minimum exceeds the maximum
  start(kInvalidParameter, put32(64, kSequential));
  start(kInvalidParameter, put32(64, kSystemLogger));
  start(kInvalidParameter, [](Bytes&) {}, u"");
  start(kInvalidParameter, [](Bytes&) {}, std::u16string(2000, u'a'));
  start(kNoError, [](Bytes&) {});
  start(kAlreadyExists, [](Bytes&) {});

  const auto set = [&](WindowsError expected, u64 session, TraceClass what, const Bytes& bytes) {
    EXPECT_EQ(api.set(session, what, bytes), expected) << static_cast<u32>(what) << ", " << bytes.size();
  };
  set(kInvalidParameter, handle, TraceClass::sampling_interval, interval_bytes({kTimer, 5000}));  // without a session
  set(kBadLength, 0, TraceClass::sampling_interval, Bytes(4));
  set(kInvalidParameter, 0, TraceClass::sampling_interval, interval_bytes({kTimer, 1220}));
  set(kInvalidParameter, 0, TraceClass::sampling_interval, interval_bytes({kTimer, 1'000'001}));
  set(kInvalidParameter, 0, TraceClass::sampling_interval, interval_bytes({8, 4095}));
  set(kInvalidParameter, 0, TraceClass::sampling_interval, interval_bytes({3, 9000}));
  set(kNoError, 0, TraceClass::sampling_interval, interval_bytes({kTimer, 1221}));
  const std::array<EventId, 1> stacks{kTimerSample};
  set(kInvalidParameter, 0, TraceClass::stack_events, event_ids_bytes(stacks));
  set(kInvalidParameter, 999, TraceClass::stack_events, event_ids_bytes(stacks));
  set(kBadLength, handle, TraceClass::stack_events, Bytes(23));
  set(kBadLength, handle, TraceClass::stack_events, Bytes(24 * 257));
  Bytes reserved = event_ids_bytes(stacks);
  reserved.back() = std::byte{1};
  set(kInvalidParameter, handle, TraceClass::stack_events, reserved);
  set(kNoError, handle, TraceClass::stack_events, event_ids_bytes(stacks));
  set(kNoError, handle, TraceClass::stack_events, {});
  set(kBadLength, handle, TraceClass::enable_flags, Bytes(28));
  set(kBadLength, handle, TraceClass::sampling_sources, {});
  set(kBadLength, handle, TraceClass::sampling_sources, Bytes(6));
  set(kInvalidParameter, handle, TraceClass::sampling_sources, sources_bytes(std::array<u32, 1>{kTimer}));
  set(kInvalidParameter, handle, TraceClass::sampling_sources, sources_bytes(std::array<u32, 1>{55}));
  set(kNoSystemResources, handle, TraceClass::sampling_sources, sources_bytes(std::array<u32, 5>{2, 6, 8, 9, 11}));
  set(kNotSupported, handle, TraceClass::source_list, Bytes(8));
  // Counters, and the events that they are attached to, must be set before events come.
  const std::array<EventId, 5> carriers{kSwitch, kReady, kTimerSample, kCounterSample, EventId{kThread, 1}};
  set(kInvalidParameter, 0, TraceClass::counters, sources_bytes(std::array<u32, 1>{19}));
  set(kBadLength, handle, TraceClass::counters, Bytes(3));
  set(kInvalidParameter, handle, TraceClass::counters, sources_bytes(std::array<u32, 1>{kTimer}));
  set(kNoSystemResources, handle, TraceClass::counters, sources_bytes(std::array<u32, 5>{2, 6, 8, 9, 11}));
  set(kNoError, handle, TraceClass::counters, sources_bytes(std::array<u32, 2>{2, 19}));
  set(kBadLength, handle, TraceClass::counter_events, event_ids_bytes(carriers));
  set(kBadLength, handle, TraceClass::counter_events, Bytes(8));
  set(kNoError, handle, TraceClass::counter_events, event_ids_bytes(std::span(carriers).first(1)));
  GroupMasks masks{7};
  masks[1] = kSwitchMask;
  set(kNoError, handle, TraceClass::enable_flags, masks_bytes(masks));
  set(kInvalidParameter, handle, TraceClass::counters, sources_bytes(std::array<u32, 1>{19}));
  set(kInvalidParameter, handle, TraceClass::counter_events, event_ids_bytes(std::span(carriers).first(1)));

  const auto add = [&](u32 expected, const std::function<void(Bytes&)>& change) {
    Bytes bytes = add_source_bytes({.event = 0x70, .interval = 9000, .name = "wperf.0x0070"});
    change(bytes);
    EXPECT_EQ(api.set_performance(bytes), expected);
  };
  constexpr u32 kInvalid = 0xc000000d;
  add(kInvalid, put32(0, 20));
  add(kInvalid, put32(4, 1));            // a version that does not exist
  add(kInvalid, put32(8, 0x10000));      // not an Arm event
  add(kInvalid, put32(28, 4095));        // interval
  add(kInvalid, put32(32, 0x00770002));  // persist
  add(kInvalid, [](Bytes& bytes) { bytes.resize(bytes.size() - 2); });
  add(kInvalid, [](Bytes& bytes) { bytes.resize(34); });
  add(0, [](Bytes&) {});
  Bytes remove = remove_source_bytes(0x999, {});
  EXPECT_EQ(api.set_performance(remove), kInvalid);
  remove = remove_source_bytes(api.added_sources().front(), {});
  Bytes shorter(remove.begin(), remove.end() - 4);
  EXPECT_EQ(api.set_performance(shorter), kInvalid);
  EXPECT_EQ(api.set_performance(remove), 0u);

  u32 returned = 0;
  Bytes small(8);
  EXPECT_EQ(api.query(0, TraceClass::source_list, small, returned), kMoreData);
  EXPECT_EQ(api.query(7, TraceClass::source_list, small, returned), kInvalidParameter);
  EXPECT_EQ(api.query(0, TraceClass::most_counters, small, returned), kBadLength);
  EXPECT_EQ(api.query(0, TraceClass::counters, small, returned), kNotSupported);
  Bytes state = properties_bytes({});
  EXPECT_EQ(api.control(0, u"nobody's", state, ControlCode::query), kInstanceNotFound);
  EXPECT_EQ(api.control(handle, {}, state, ControlCode::stop), kNoError);
  EXPECT_EQ(api.control(handle, {}, state, ControlCode::stop), kInstanceNotFound);
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

TEST(EtwRequests, SourceListsAreReadAsFarAsTheyMakeSense) {
  const std::vector<ProfileSource> sources = usual_sources();
  Bytes bytes = source_list_bytes(sources);
  const std::vector<ProfileSource> read = source_list(bytes);
  ASSERT_EQ(read.size(), sources.size());
  EXPECT_EQ(read[1].name, "TotalIssues");
  EXPECT_EQ(read[0].least, 1221u);
  EXPECT_TRUE(source_list(std::span(bytes).first(20)).empty());
  EXPECT_EQ(source_list(std::span(bytes).first(50)).size(), 1u);
  put_at(std::span(bytes), 0, u32{5});  // the next one begins inside this one
  EXPECT_TRUE(source_list(bytes).empty());
  put_at(std::span(bytes), 0, ~u32{0});
  EXPECT_TRUE(source_list(bytes).empty());
}

// Compared with the documented tables, not with our own reader.
TEST(EtwRequests, HaveTheBytesThatAreDocumented) {
  const Bytes properties =
      properties_bytes({.buffer_kb = 512, .most_mb = 9, .log_file_mode = 0x02000001, .enable_flags = 7, .file = "x"});
  EXPECT_EQ(number_at<u32>(properties, 0), properties.size());
  EXPECT_EQ(number_at<u32>(properties, 44), 0x20000u);
  EXPECT_EQ(number_at<u32>(properties, 48), 512u);
  EXPECT_EQ(number_at<u32>(properties, 60), 9u);
  EXPECT_EQ(number_at<u32>(properties, 64), 0x02000001u);
  EXPECT_EQ(number_at<u32>(properties, 72), 7u);
  EXPECT_EQ(number_at<u16>(properties, number_at<u32>(properties, 112)), u16{'x'});
  const Bytes ids = event_ids_bytes(std::array<EventId, 1>{kSwitch});
  ASSERT_EQ(ids.size(), 24u);
  EXPECT_EQ(number_at<u32>(ids, 0), 0x3d6fa8d1u);
  EXPECT_EQ(number_at<u8>(ids, 16), 36u);
  const Bytes add = add_source_bytes({.event = 0x70, .cpu = {1, 2, 3}, .interval = 65536, .name = "ab"});
  ASSERT_EQ(add.size(), 34u + 6);
  EXPECT_EQ(number_at<u32>(add, 0), 21u);
  EXPECT_EQ(number_at<u32>(add, 8), 0x70u);
  EXPECT_EQ(number_at<u32>(add, 24), 3u);
  EXPECT_EQ(number_at<u32>(add, 28), 65536u);
  EXPECT_EQ(number_at<u16>(add, 36), u16{'b'});
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

TEST_F(EtwSession, LeftoverSessionsAreCleanedUp) {
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

TEST_F(EtwSession, AKernelLoggerThatAKilledWperfLeftIsEnded) {
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

TEST_F(EtwSession, SourcesOfAWperfThatRecordsAreLeftAlone) {
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
