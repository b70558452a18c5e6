// SPDX-License-Identifier: BSD-3-Clause
// The requests to Arm's driver, byte by byte: sizes, codes and order as documented. The expected requests are written
// by offset, without the structs that wperf uses.
#include <gtest/gtest.h>

#include "machine/windowsperf/scripted_machine.h"
#include "machine/windowsperf/windowsperf_machine.h"

namespace wperf::windowsperf {
namespace {

using Lines = std::vector<std::string>;

// The low half of a request code, in memory order, for function 0x900 + n: 0xE400 + 4 n.
std::string code(u32 n) {
  const u32 low = 0xE400 + 4 * n;
  return hex(std::as_bytes(std::span(&low, 1))).substr(0, 4);
}

struct Bytes {
  std::vector<std::byte> bytes;
  explicit Bytes(size_t size) : bytes(size) {}
  Bytes& put(size_t offset, u64 value, size_t size) {
    std::memcpy(bytes.data() + offset, &value, size);
    return *this;
  }
  std::string text() const { return hex(bytes); }
};

std::string ctl(u32 n, const std::vector<u8>& cores, u32 flags, u32 period = 0, u8 dmc = 0xFF) {
  Bytes all(152);
  all.put(0, cores.size(), 8).put(136, period, 4).put(140, dmc, 1).put(144, flags, 4);
  for (size_t i = 0; i < cores.size(); ++i) all.put(8 + i, cores[i], 1);
  return code(n) + " " + all.text();
}
std::string start(const std::vector<u8>& cores, u32 flags, u32 period, u8 dmc = 0xFF) {
  return ctl(0, cores, flags, period, dmc);
}
std::string stop(const std::vector<u8>& cores, u32 flags, u8 dmc = 0xFF) {
  return ctl(1, cores, flags, 0, dmc);
}
std::string reset(const std::vector<u8>& cores, u32 flags, u8 dmc = 0xFF) {
  return ctl(2, cores, flags, 0, dmc);
}
std::string read_core(u8 core) {
  return ctl(7, {core}, 1);
}

struct List {
  u32 event_class;
  std::vector<u16> codes;
};
std::string assign(u32 core, u64 filter, const std::vector<List>& lists, u8 dmc = 0xFF) {
  size_t size = 16;
  for (const List& list : lists) size += 8 + 2 * list.codes.size();
  Bytes all(size);
  all.put(0, core, 4).put(4, dmc, 1).put(8, filter, 8);
  size_t at = 16;
  for (const List& list : lists) {
    all.put(at, list.event_class, 4).put(at + 4, list.codes.size(), 2);
    at += 8;
    for (const u16 one : list.codes) {
      all.put(at, one, 2);
      at += 2;
    }
  }
  return code(6) + " " + all.text();
}
std::string word(u32 n, u32 value) {
  return code(n) + " " + Bytes(4).put(0, value, 4).text();
}
std::string sources(u32 core, const std::vector<std::array<u32, 3>>& list) {
  Bytes all(4 + 12 * list.size());
  all.put(0, core, 4);
  for (size_t i = 0; i < list.size(); ++i)
    all.put(4 + 12 * i, list[i][0], 4).put(8 + 12 * i, list[i][1], 4).put(12 + 12 * i, list[i][2], 4);
  return code(12) + " " + all.text();
}
const std::string kVersion = code(5) + " " + Bytes(324).put(0, 3, 1).put(1, 8, 1).text();
constexpr u64 kUser = 0x80000000;

class WindowsPerfRequests : public testing::Test {
 protected:
  void open() {
    auto owned = std::make_unique<ScriptedMachine>();
    machine = owned.get();
    device = make_windowsperf_device(std::move(owned));
  }
  WindowsPerfRequests() { open(); }

  void ready() {
    ASSERT_TRUE(device->acquire(false).has_value());
    ASSERT_TRUE(device->capabilities(device::Device::Spe::left_alone).has_value());
    machine->sent();
  }
  void with_uncore() {
    machine->clusters = 2;
    machine->channels = {{0x10000, 0x1000}, {0x20000, 0x1000}};
  }
  static plan::CountPlan plan_of(std::vector<u32> cores, const std::vector<u16>& codes, EventClass event_class = {}) {
    plan::CountPlan plan;
    plan.cores = std::move(cores);
    plan.period_ms = 10;
    add(plan, codes, event_class);
    return plan;
  }
  static void add(plan::CountPlan& plan, const std::vector<u16>& codes, EventClass event_class, bool padding = false) {
    plan::Schedule& schedule = plan.schedules[index_of(event_class)];
    schedule.counters = 6;
    for (const u16 one : codes) {
      plan::Entry entry;
      entry.code = one;
      entry.padding = padding;
      schedule.entries.push_back(entry);
    }
  }
  static plan::SamplePlan sample_plan(std::vector<u32> cores, std::vector<std::pair<u16, u32>> events) {
    plan::SamplePlan plan;
    plan.cores = std::move(cores);
    for (const auto& [one, interval] : events) {
      plan::SampleEvent event;
      event.code = one;
      event.interval = interval;
      plan.events.push_back(std::move(event));
    }
    return plan;
  }
  // The requests that open and start a count.
  Lines counting(const plan::CountPlan& plan) {
    ready();
    auto opened = device->open_count(plan);
    if (!opened.has_value()) return {"refused: " + opened.error().text};
    session = std::move(opened).value();
    EXPECT_TRUE(session->start().has_value());
    return machine->sent();
  }
  Lines refused(const plan::CountPlan& plan) {
    ready();
    EXPECT_FALSE(device->open_count(plan).has_value());
    return machine->sent();
  }

  ScriptedMachine* machine = nullptr;
  std::unique_ptr<device::Device> device;
  std::unique_ptr<device::CountSession> session;
};

TEST_F(WindowsPerfRequests, LockThenVersionThenHardware) {
  ASSERT_TRUE(device->acquire(false).has_value());
  EXPECT_EQ(machine->sent(), (Lines{word(16, 0), "pause", kVersion, word(3, 0x903)}));
}

TEST_F(WindowsPerfRequests, ForceEndsWhatWasLeftOnEveryCore) {
  ASSERT_TRUE(device->acquire(true).has_value());
  EXPECT_EQ(machine->sent(), (Lines{word(16, 1), "pause", kVersion, word(3, 0x903), stop({0, 1, 2, 3}, 1),
                                    ctl(14, {0}, 1), ctl(14, {1}, 1), ctl(14, {2}, 1), ctl(14, {3}, 1)}));
}

TEST_F(WindowsPerfRequests, LockOfAnotherIsLeftAlone) {
  for (const u32 status : {1u, 3u, 4u, 0u, 5u}) {
    machine->lock_status = status;
    EXPECT_FALSE(device->acquire(false).has_value());
    EXPECT_EQ(machine->sent(), Lines{word(16, 0)});
  }
}

TEST_F(WindowsPerfRequests, LockIsGivenBack) {
  Lines last;
  ASSERT_TRUE(device->acquire(false).has_value());
  machine->sent();
  machine->answer(Request::lock_release, [&](std::span<const std::byte> input, std::span<std::byte>) {
    last.push_back(hex(input));
    return Answer{.error = 0, .bytes = 4};
  });
  device.reset();
  EXPECT_EQ(last, Lines{"02..3"});
}

TEST_F(WindowsPerfRequests, LockThatWasNotTakenIsNotGivenBack) {
  bool asked = false;
  machine->answer(Request::lock_release, [&](auto, auto) {
    asked = true;
    return Answer{};
  });
  device.reset();
  EXPECT_FALSE(asked);
}

TEST_F(WindowsPerfRequests, NothingIsSentToOtherVersions) {
  using File = std::optional<FileVersion>;
  for (const File& file :
       {File{}, File{{3, 7, 0}}, File{{3, 6, 0}}, File{{3, 8, 1}}, File{{3, 9, 0}}, File{{4, 0, 0}}}) {
    machine->file = file;
    EXPECT_FALSE(device->acquire(false).has_value());
    EXPECT_EQ(machine->sent(), Lines{});
  }
}

TEST_F(WindowsPerfRequests, EveryVersionWithThisWireIsSpokenTo) {
  for (const FileVersion& file : {FileVersion{3, 7, 1}, FileVersion{3, 7, 2}, FileVersion{3, 8, 0}}) {
    open();
    machine->file = file;
    machine->version.minor = static_cast<u8>(file.minor);
    machine->version.patch = static_cast<u8>(file.patch);
    EXPECT_TRUE(device->acquire(false).has_value());
  }
}

TEST_F(WindowsPerfRequests, LoadedDriverMayBeAnotherThanItsFile) {
  machine->version.minor = 7;
  EXPECT_FALSE(device->acquire(false).has_value());
}

TEST_F(WindowsPerfRequests, DsuAndDmcAreSetUpOnce) {
  with_uncore();
  ASSERT_TRUE(device->acquire(false).has_value());
  machine->sent();
  ASSERT_TRUE(device->capabilities(device::Device::Spe::left_alone).has_value());
  const std::string dsu = code(8) + " " + Bytes(4).put(0, 2, 2).put(2, 2, 2).text();
  const std::string dmc =
      code(10) + " " +
      Bytes(40).put(0, 2, 1).put(8, 0x10000, 8).put(16, 0x10FFF, 8).put(24, 0x20000, 8).put(32, 0x20FFF, 8).text();
  EXPECT_EQ(machine->sent(), (Lines{dsu, dmc}));
  ASSERT_TRUE(device->capabilities(device::Device::Spe::asked_for).has_value());
  EXPECT_EQ(machine->sent(), Lines{});
}

TEST_F(WindowsPerfRequests, UnknownUncoreIsLeftAlone) {
  ready();
  ASSERT_TRUE(device->capabilities(device::Device::Spe::left_alone).has_value());
  EXPECT_EQ(machine->sent(), Lines{});
}

TEST_F(WindowsPerfRequests, ClustersItWouldDivideWronglyAreNotTold) {
  for (const auto& [clusters, cores] : {std::pair<u32, u16>{3, 4}, {2, 6}, {1, 128}}) {
    open();
    machine->clusters = clusters;
    machine->hardware.core_count = cores;
    ASSERT_TRUE(device->acquire(false).has_value());
    machine->sent();
    ASSERT_TRUE(device->capabilities(device::Device::Spe::left_alone).has_value());
    EXPECT_EQ(machine->sent(), Lines{});
  }
}

TEST_F(WindowsPerfRequests, OneEventOfOneCore) {
  EXPECT_EQ(counting(plan_of({1}, {0x1B})),
            (Lines{stop({1}, 1), assign(1, kUser, {{0, {0x1B}}}), reset({1}, 1), "pause", start({1}, 1, 10)}));
}

TEST_F(WindowsPerfRequests, ImixIsTheExampleOfTheFacts) {
  const std::vector<u16> imix{0x1B, 0x73, 0x75, 0x74, 0x70, 0x71};
  const Lines lines = counting(plan_of({1}, imix));
  EXPECT_EQ(lines.at(1), assign(1, kUser, {{0, imix}}));
  EXPECT_EQ(lines.at(1), code(6) +
                             " 01000000ff000000"  // core, channel
                             "0000008000000000"   // filter
                             "0000000006000000"   // class, number of events
                             "1b007300750074007000"
                             "71..1");
}

TEST_F(WindowsPerfRequests, KernelCountsAreNotFiltered) {
  plan::CountPlan plan = plan_of({0}, {1, 2, 3, 4, 5, 6});
  plan.kernel = true;
  EXPECT_EQ(counting(plan).at(1), assign(0, 0, {{0, {1, 2, 3, 4, 5, 6}}}));
}

TEST_F(WindowsPerfRequests, CyclesOfTheKernelAreAnEventWhereACounterIsFree) {
  plan::CountPlan plan = plan_of({0}, {1, 2});
  plan.kernel = true;
  EXPECT_EQ(counting(plan).at(1), assign(0, 0, {{0, {1, 2, 0x11}}}));
}

TEST_F(WindowsPerfRequests, PaddingIsLeftOutWhereNothingTakesTurns) {
  plan::CountPlan plan = plan_of({0}, {8, 9});
  add(plan, {0x1B, 0x1B}, EventClass::core, true);
  EXPECT_EQ(counting(plan).at(1), assign(0, kUser, {{0, {8, 9}}}));
}

TEST_F(WindowsPerfRequests, PaddingStaysInTurns) {
  plan::CountPlan plan = plan_of({0}, {1, 2, 3, 4, 5, 6, 7});
  add(plan, {0x1B, 0x1B, 0x1B, 0x1B, 0x1B}, EventClass::core, true);
  EXPECT_EQ(counting(plan).at(1), assign(0, kUser, {{0, {1, 2, 3, 4, 5, 6, 7, 0x1B, 0x1B, 0x1B, 0x1B, 0x1B}}}));
}

TEST_F(WindowsPerfRequests, AllCoresAreToldAtOnceButStartedByList) {
  EXPECT_EQ(counting(plan_of({0, 1, 2, 3}, {8})), (Lines{stop({0, 1, 2, 3}, 1), assign(0xFFFFFFFF, kUser, {{0, {8}}}),
                                                         reset({0, 1, 2, 3}, 1), "pause", start({0, 1, 2, 3}, 1, 10)}));
}

TEST_F(WindowsPerfRequests, SomeCoresAreToldOneByOne) {
  EXPECT_EQ(counting(plan_of({0, 2}, {8})),
            (Lines{stop({0, 2}, 1), assign(0, kUser, {{0, {8}}}), assign(2, kUser, {{0, {8}}}), reset({0, 2}, 1),
                   "pause", start({0, 2}, 1, 10)}));
}

TEST_F(WindowsPerfRequests, PeriodGoesWithTheStartOnly) {
  plan::CountPlan plan = plan_of({3}, {8});
  plan.period_ms = 77;
  const Lines lines = counting(plan);
  EXPECT_EQ(lines.front(), stop({3}, 1));
  EXPECT_EQ(lines.back(), start({3}, 1, 77));
}

TEST_F(WindowsPerfRequests, AsManyEventsAsThereIsRoomFor) {
  EXPECT_EQ(counting(plan_of({0}, std::vector<u16>(127, 8))).at(1), assign(0, kUser, {{0, std::vector<u16>(127, 8)}}));
}

TEST_F(WindowsPerfRequests, MoreEventsAreNotSent) {
  EXPECT_EQ(refused(plan_of({0}, std::vector<u16>(128, 8))), Lines{stop({0}, 1)});
}

TEST_F(WindowsPerfRequests, CoreThatIsNotThereIsNotSent) {
  EXPECT_EQ(refused(plan_of({4}, {8})), Lines{});
  open();
  EXPECT_EQ(refused(plan_of({1000}, {8})), Lines{});
}

TEST_F(WindowsPerfRequests, CodesOfTheDsuGoThroughTheListOfTheCore) {
  with_uncore();
  plan::CountPlan plan = plan_of({1}, {0x2B, 0x2A}, EventClass::dsu);
  add(plan, {0x1B, 0x70}, EventClass::core);
  EXPECT_EQ(counting(plan),
            (Lines{stop({1}, 3), assign(1, kUser, {{0, {0x2B, 0x2A}}}), assign(1, kUser, {{1, {0x2B, 0x2A}}}),
                   assign(1, kUser, {{0, {0x1B, 0x70}}}), reset({1}, 3), "pause", start({1}, 3, 10)}));
}

TEST_F(WindowsPerfRequests, DsuAloneIsCountedByOneCoreOfEachCluster) {
  with_uncore();
  const Lines lines = counting(plan_of({0, 1, 2, 3}, {0x2B}, EventClass::dsu));
  EXPECT_EQ(lines.front(), stop({0, 2}, 2));
  EXPECT_EQ(lines.at(lines.size() - 3), reset({0, 2}, 2));
  EXPECT_EQ(lines.at(lines.size() - 4), assign(2, kUser, {{0, {0x1B}}}));
  EXPECT_EQ(lines.back(), start({0, 2}, 2, 10));
}

TEST_F(WindowsPerfRequests, DsuWithAllCoresIsCountedByAll) {
  with_uncore();
  plan::CountPlan plan = plan_of({0, 1, 2, 3}, {0x2B}, EventClass::dsu);
  add(plan, {8}, EventClass::core);
  EXPECT_EQ(counting(plan).back(), start({0, 1, 2, 3}, 3, 10));
}

TEST_F(WindowsPerfRequests, DsuWithPartOfAClusterIsRefused) {
  with_uncore();
  plan::CountPlan plan = plan_of({0, 1}, {0x2B}, EventClass::dsu);
  add(plan, {8}, EventClass::core);
  EXPECT_EQ(refused(plan), Lines{});
}

TEST_F(WindowsPerfRequests, MoreDsuEventsThanItProgramsAreRefused) {
  with_uncore();
  machine->hardware.free_counters = 2;
  EXPECT_EQ(refused(plan_of({0}, {1, 2, 3}, EventClass::dsu)), Lines{});
}

TEST_F(WindowsPerfRequests, MemoryFollowsAnOddListWithoutAGap) {
  with_uncore();
  plan::CountPlan plan = plan_of({0}, {8}, EventClass::core);
  add(plan, {0x12}, EventClass::dmc_clkdiv2);
  plan.dmc_channels = {0, 1};
  EXPECT_EQ(counting(plan), (Lines{stop({0}, 5), assign(0, kUser, {{0, {8}}, {3, {0x12}}}), reset({0}, 5), "pause",
                                   start({0}, 5, 10)}));
}

TEST_F(WindowsPerfRequests, OneMemoryChannelIsNamed) {
  with_uncore();
  plan::CountPlan plan = plan_of({0}, {0x12}, EventClass::dmc_clkdiv2);
  plan.dmc_channels = {1};
  EXPECT_EQ(counting(plan), (Lines{stop({0}, 4, 1), assign(0, kUser, {{0, {0x1B}}, {3, {0x12}}}, 1), reset({0}, 4, 1),
                                   "pause", start({0}, 4, 10, 1)}));
}

TEST_F(WindowsPerfRequests, MemoryAloneNeedsOneCore) {
  with_uncore();
  plan::CountPlan plan = plan_of({2, 3}, {0x12}, EventClass::dmc_clkdiv2);
  plan.dmc_channels = {0, 1};
  EXPECT_EQ(counting(plan).back(), start({2}, 4, 10));
}

TEST_F(WindowsPerfRequests, ClockEventsOfMemoryAreRefused) {
  with_uncore();
  plan::CountPlan plan = plan_of({0}, {1}, EventClass::dmc_clk);
  plan.dmc_channels = {0, 1};
  EXPECT_EQ(refused(plan), Lines{});
}

TEST_F(WindowsPerfRequests, EventsOfWhatWasNotSetUpAreNotSent) {
  EXPECT_EQ(refused(plan_of({0}, {1}, EventClass::dsu)), Lines{});
  open();
  plan::CountPlan plan = plan_of({0}, {1}, EventClass::dmc_clkdiv2);
  plan.dmc_channels = {0};
  EXPECT_EQ(refused(plan), Lines{});
}

TEST_F(WindowsPerfRequests, CountEndsWithATickAndIsReadBehindTheStop) {
  counting(plan_of({1}, {8, 9}));
  machine->now = 30'000'000;
  ASSERT_TRUE(session->stop().has_value());
  Lines lines = machine->sent();
  EXPECT_EQ(lines.size(), 10u + 3);  // one check each millisecond until the tick
  EXPECT_EQ(lines.front(), read_core(1));
  EXPECT_EQ(lines.at(lines.size() - 2), stop({1}, 1));
  EXPECT_EQ(lines.back(), read_core(1));
  const auto capture = session->read();
  ASSERT_TRUE(capture.has_value());
  const readings::UnitCounts& unit = capture.value().units.at(0);
  EXPECT_EQ(unit.rounds, 2u);
  EXPECT_EQ(unit.cycles, 14u);
  EXPECT_EQ(unit.entries.at(1).value, 4u);
  EXPECT_EQ(capture.value().end_ns - capture.value().start_ns, 40'000'000u);
  EXPECT_EQ(machine->measurements, 0);
}

TEST_F(WindowsPerfRequests, WithoutATickThereIsNoCount) {
  counting(plan_of({1}, {8}));
  machine->tick_ns = 0;
  const auto stopped = session->stop();
  ASSERT_FALSE(stopped.has_value());
  EXPECT_NE(stopped.error().text.find("no timer tick"), std::string::npos);
  EXPECT_EQ(machine->sent().back(), stop({1}, 1));
}

TEST_F(WindowsPerfRequests, CountThatIsDroppedIsStopped) {
  counting(plan_of({1}, {8}));
  session.reset();
  EXPECT_EQ(machine->sent(), Lines{stop({1}, 1)});
  EXPECT_EQ(machine->measurements, 0);
}

TEST_F(WindowsPerfRequests, CheckReadsOneCore) {
  counting(plan_of({2, 3}, {8}));
  ASSERT_TRUE(session->check().has_value());
  EXPECT_EQ(machine->sent(), Lines{read_core(2)});
}

TEST_F(WindowsPerfRequests, EveryClusterIsRead) {
  with_uncore();
  counting(plan_of({0, 1, 2, 3}, {0x2B}, EventClass::dsu));
  machine->now = 30'000'000;
  ASSERT_TRUE(session->stop().has_value());
  const Lines lines = machine->sent();
  EXPECT_EQ(lines.at(lines.size() - 2), ctl(9, {0}, 2));
  EXPECT_EQ(lines.back(), ctl(9, {2}, 2));
}

TEST_F(WindowsPerfRequests, MemoryIsReadOfAllChannels) {
  with_uncore();
  plan::CountPlan plan = plan_of({0}, {0x12}, EventClass::dmc_clkdiv2);
  plan.dmc_channels = {0};
  counting(plan);
  ASSERT_TRUE(session->check().has_value());
  EXPECT_EQ(machine->sent(), Lines{ctl(11, {0}, 4)});
}

TEST_F(WindowsPerfRequests, SamplingIsSetUpThenStarted) {
  ready();
  auto sampling = device->open_sampling(sample_plan({1}, {{0x70, 100000}}));
  ASSERT_TRUE(sampling.has_value());
  ASSERT_TRUE(sampling.value()->start().has_value());
  EXPECT_EQ(machine->sent(), (Lines{stop({1}, 1), sources(1, {{0x70, 100000, 0x80000000}}), ctl(13, {1}, 1)}));
}

TEST_F(WindowsPerfRequests, CyclesAreSampledByAnEventAndWithTheKernelThereIsNoFilter) {
  ready();
  plan::SamplePlan plan = sample_plan({0}, {{0x11, 5000}, {8, 6000}});
  plan.kernel = true;
  auto sampling = device->open_sampling(plan);
  ASSERT_TRUE(sampling.has_value());
  ASSERT_TRUE(sampling.value()->start().has_value());
  EXPECT_EQ(machine->sent().at(1), sources(0, {{0x11, 5000, 0}, {8, 6000, 0}}));
}

TEST_F(WindowsPerfRequests, SliceEndsWithAFreshStart) {
  ready();
  auto opened = device->open_sampling(sample_plan({1}, {{0x70, 1000}}));
  ASSERT_TRUE(opened.has_value());
  device::SampleSession& sampling = *opened.value();
  ASSERT_TRUE(sampling.start().has_value());
  machine->sent();
  readings::SampleCapture capture;
  EXPECT_EQ(sampling.drain_every_ns(100'000'000), 1'000'000u);
  ASSERT_TRUE(sampling.drain(capture).has_value());
  EXPECT_EQ(machine->sent(), Lines{});
  machine->now = 1'000'000;
  ASSERT_TRUE(sampling.drain(capture).has_value());
  EXPECT_EQ(machine->sent(),
            (Lines{ctl(14, {1}, 1), word(15, 1), sources(1, {{0x70, 1000, 0x80000000}}), ctl(13, {1}, 1)}));
  ASSERT_TRUE(sampling.stop().has_value());
  EXPECT_EQ(machine->sent(), (Lines{ctl(14, {1}, 1), word(15, 1)}));
}

TEST_F(WindowsPerfRequests, SamplingThatIsDroppedIsStoppedBeforeTheLockIsGivenBack) {
  ready();
  auto sampling = device->open_sampling(sample_plan({1}, {{0x70, 1000}}));
  ASSERT_TRUE(sampling.value()->start().has_value());
  machine->sent();
  {
    const auto dropped = std::move(sampling).value();
  }
  EXPECT_EQ(machine->sent(), (Lines{ctl(14, {1}, 1), word(15, 1)}));
  EXPECT_EQ(machine->measurements, 0);
}

TEST_F(WindowsPerfRequests, SamplingOfMoreThanItCanIsNotSent) {
  ready();
  EXPECT_FALSE(device->open_sampling(sample_plan({0, 1}, {{0x70, 1000}})).has_value());
  EXPECT_FALSE(device->open_sampling(sample_plan({0}, {})).has_value());
  EXPECT_FALSE(device->open_sampling(sample_plan({0}, std::vector<std::pair<u16, u32>>(7, {8, 9}))).has_value());
  EXPECT_FALSE(device->open_sampling(sample_plan({9}, {{8, 9}})).has_value());
  EXPECT_EQ(machine->sent(), Lines{});
}

TEST_F(WindowsPerfRequests, SpeIsNotAskedFor) {
  ready();
  EXPECT_FALSE(device->open_spe({}).has_value());
  EXPECT_EQ(machine->sent(), Lines{});
}

TEST_F(WindowsPerfRequests, LostLockIsAskedForOnce) {
  counting(plan_of({1}, {8}));
  machine->lock_status = 1;
  machine->refuse(Request::count_read, 22);
  const auto checked = session->check();
  ASSERT_FALSE(checked.has_value());
  EXPECT_NE(checked.error().text.find("hijacked"), std::string::npos);
  EXPECT_EQ(machine->sent(), (Lines{read_core(1), word(16, 0)}));
}

TEST_F(WindowsPerfRequests, LockThatCameBackByAskingIsGivenBack) {
  counting(plan_of({1}, {8}));
  machine->refuse(Request::count_read, 22);
  EXPECT_FALSE(session->check().has_value());
  EXPECT_EQ(machine->sent(), (Lines{read_core(1), word(16, 0), word(17, 2)}));
}

TEST_F(WindowsPerfRequests, DriverThatIsBeingRemovedIsTold) {
  counting(plan_of({1}, {8}));
  machine->refuse(Request::count_read, 22);
  machine->refuse(Request::lock_acquire, 22);
  EXPECT_NE(session->check().error().text.find("being removed"), std::string::npos);
}

}  // namespace
}  // namespace wperf::windowsperf
