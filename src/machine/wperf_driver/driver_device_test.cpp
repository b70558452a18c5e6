// SPDX-License-Identifier: BSD-3-Clause
// The driver device with a transport that answers from a script: checks the requests byte by byte, and the texts for
// refusals.
#include "machine/wperf_driver/driver_device.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <functional>
#include <map>

#include "abi/wire.h"

namespace wperf::wperf_driver {
namespace {

using Handler = std::function<device::DriverAnswer(std::span<std::byte>, size_t)>;

struct FakeMachine final : device::DriverMachine {
  std::map<u32, Handler> handlers;
  std::vector<u32> codes;
  std::vector<device::DeviceMemory> memory;
  u32 clusters = 0;
  int measurements = 0;
  std::string firmware = "Somebody's Devkit";

  void measuring(bool begins) override { measurements += begins ? 1 : -1; }
  diag::Result<device::DriverAnswer> control(u32 code, std::span<std::byte> buffer, size_t input) override {
    codes.push_back(code);
    const auto handler = handlers.find(code);
    return handler == handlers.end() ? device::DriverAnswer{WPERF_OK, 0} : handler->second(buffer, input);
  }
  diag::Result<u32> spawn(const std::string&, const std::string&, u32) override { return 1u; }
  device::ProcessState process(u32) override { return {}; }
  void kill(u32) override {}
  std::vector<readings::Process> processes() override { return {}; }
  diag::Result<void> wait(u64, u32) override { return {}; }
  u64 now_ns() override { return 0; }
  std::vector<device::DeviceMemory> dmc_channels() override { return memory; }
  u32 dsu_clusters() override { return clusters; }
  device::DeviceIdentity identity() override { return {.instance_id = "I", .hardware_ids = "H"}; }
  std::string model() override { return firmware; }
};

template <typename Reply>
Handler answer(const Reply& reply) {
  return [reply](std::span<std::byte> buffer, size_t) -> device::DriverAnswer {
    std::memcpy(buffer.data(), &reply, sizeof reply);
    return {WPERF_OK, sizeof reply};
  };
}

Handler refuse(WperfStatus status) {
  return [status](std::span<std::byte>, size_t) -> device::DriverAnswer { return {status, 0}; };
}

struct Made {
  FakeMachine* machine;
  std::unique_ptr<device::Device> device;
};

Made make() {
  auto machine = std::make_unique<FakeMachine>();
  FakeMachine* raw = machine.get();
  return {raw, make_driver_device(std::move(machine))};
}

TEST(DriverDevice, RefusedLockHasContractError) {
  Made made = make();
  made.machine->handlers[WPERF_CODE_LOCK] = refuse(WPERF_LOCK_BUSY);
  const auto taken = made.device->acquire(false);
  ASSERT_FALSE(taken.has_value());
  EXPECT_TRUE(taken.error().verbatim);
  EXPECT_EQ(taken.error().text,
            "warning: other WindowsPerf process acquired the wperf-driver.\n"
            "note: use --force-lock to force driver to give lock to current `wperf` process.\n"
            "Operation cancelled!");
}

TEST(DriverDevice, ForceGoesOverTheWire) {
  Made made = make();
  u32 action = 0;
  made.machine->handlers[WPERF_CODE_LOCK] = [&](std::span<std::byte> buffer, size_t input) {
    EXPECT_EQ(input, sizeof(WperfLockRequest));
    WperfLockRequest request;
    std::memcpy(&request, buffer.data(), sizeof request);
    EXPECT_EQ(request.header.size, sizeof request);
    action = request.action;
    return device::DriverAnswer{WPERF_OK, 0};
  };
  ASSERT_TRUE(made.device->acquire(true).has_value());
  EXPECT_EQ(action, u32{WPERF_LOCK_FORCE});
}

TEST(DriverDevice, ShortAnswerIsAnError) {
  Made made = make();
  made.machine->handlers[WPERF_CODE_VERSION] = [](std::span<std::byte>, size_t) {
    return device::DriverAnswer{WPERF_OK, 8};
  };
  EXPECT_FALSE(made.device->driver_version().has_value());
}

TEST(DriverDevice, TextFieldsMayFillTheirWholeRoom) {
  Made made = make();
  WperfVersionReply reply{};
  reply.header = {.size = sizeof reply, .version = WPERF_WIRE_VERSION};
  std::memset(reply.git, 'a', sizeof reply.git);  // the text has no final zero
  std::memcpy(reply.features, "+trace", 6);
  made.machine->handlers[WPERF_CODE_VERSION] = answer(reply);
  const auto version = made.device->driver_version();
  ASSERT_TRUE(version.has_value());
  EXPECT_EQ(version.value().git, std::string(32, 'a'));
  EXPECT_EQ(version.value().features, "+trace");
}

TEST(DriverDevice, TellsTheDriverWhereTheMemoryControllersAre) {
  Made made = make();
  made.machine->memory = {{0x1000, 0x1000}, {0x2000, 0x1000}};
  WperfHardwareReply reply{};
  reply.core_count = 2;
  made.machine->handlers[WPERF_CODE_HARDWARE] = answer(reply);
  WperfCoreReply core{};
  core.midr = 0x414fd0c1;
  made.machine->handlers[WPERF_CODE_CORE] = answer(core);
  const auto machine = made.device->capabilities(device::Device::Spe::left_alone);
  ASSERT_TRUE(machine.has_value());
  EXPECT_EQ(made.machine->codes.front(), u32{WPERF_CODE_DMC_SETUP});
  EXPECT_EQ(machine.value().core_midr, (std::vector<u64>{0x414fd0c1, 0x414fd0c1}));
  EXPECT_EQ(machine.value().named_dmc_channels, 2u);
  EXPECT_EQ(made.device->identity().instance_id, "I");
}

// A hypervisor may report SPE but stop a machine that reads its registers.
TEST(DriverDevice, ARefusedMaskOfSpeIsNamed) {
  Made made = make();
  made.machine->handlers[WPERF_CODE_SPE_CONFIGURE] = refuse(WPERF_NOT_SUPPORTED);
  plan::SpePlan plan;
  const auto refusal = [&] { return made.device->open_spe(plan).error(); };
  EXPECT_EQ(refusal().text, "the hardware does not support the request");
  plan.events = 0x108;
  EXPECT_EQ(refusal().text, "this core cannot filter by all events of event_filter=0x108");
  EXPECT_NE(refusal().hint.find("bits 1, 3, 5 and 7"), std::string::npos);
  plan.not_events = 4;
  EXPECT_EQ(refusal().text, "this core cannot filter by all events of event_filter=0x108,inv_event_filter=0x4");
  made.machine->handlers[WPERF_CODE_SPE_CONFIGURE] = refuse(WPERF_PROFILING_BUSY);
  EXPECT_EQ(refusal().text, "another program uses the SPE of a chosen core");
}

TEST(DriverDevice, SpeIsQueriedOnlyOnDemand) {
  Made made = make();
  WperfHardwareReply reply{};
  reply.core_count = 1;
  reply.id_aa64dfr0 = u64{1} << 32;
  made.machine->handlers[WPERF_CODE_CORE] = answer(WperfCoreReply{});
  made.machine->handlers[WPERF_CODE_HARDWARE] = answer(reply);
  WperfSpeCoreReply spe{};
  spe.pmsidr = 0x1026;
  spe.buffer_alignment = 64;
  made.machine->handlers[WPERF_CODE_SPE_CORE] = answer(spe);
  const auto asked = [&] {
    return std::count(made.machine->codes.begin(), made.machine->codes.end(), u32{WPERF_CODE_SPE_CORE});
  };
  ASSERT_TRUE(made.device->capabilities(device::Device::Spe::left_alone).has_value());
  EXPECT_EQ(asked(), 0);
  const auto machine = made.device->capabilities(device::Device::Spe::asked_for);
  ASSERT_TRUE(machine.has_value());
  EXPECT_EQ(machine.value().pmsidr, 0x1026u);
  EXPECT_EQ(asked(), 1);
}

// The etw device also refuses this. Counting is allowed, because it needs no interrupts.
TEST(DriverDevice, SamplesInAVirtualMachineOnlyWhenForced) {
  for (const bool forced : {false, true}) {
    Made made = make();
    made.machine->firmware = "Google Google Compute Engine";
    ASSERT_TRUE(made.device->acquire(forced).has_value());
    EXPECT_TRUE(made.device->open_count({}).has_value());
    const auto sampling = made.device->open_sampling({});
    EXPECT_EQ(sampling.has_value(), forced);
    const bool asked = std::ranges::count(made.machine->codes, u32{WPERF_CODE_SAMPLE_CONFIGURE}) != 0;
    EXPECT_EQ(asked, forced);
    if (forced) continue;
    EXPECT_NE(sampling.error().text.find("runs in a virtual machine"), std::string::npos);
    EXPECT_NE(sampling.error().hint.find("--force-lock"), std::string::npos);
  }
}

TEST(DriverDevice, CountersThatAHypervisorKeepsAreNamed) {
  Made made = make();
  WperfHardwareReply reply{};
  made.machine->handlers[WPERF_CODE_HARDWARE] = [&](std::span<std::byte> buffer, size_t input) {
    return answer(reply)(buffer, input);
  };
  const auto why = [&](u64 version, u32 cycle_counters) {
    reply.id_aa64dfr0 = version << 8;
    reply.cycle_counters = cycle_counters;
    return made.device->capabilities(device::Device::Spe::left_alone).value().why_no_counters;
  };
  EXPECT_NE(why(4, 0).find("hypervisor"), std::string::npos);
  EXPECT_EQ(why(4, 1), "");
  EXPECT_EQ(why(0, 0), "") << "a core without a PMU";
  EXPECT_EQ(why(0xf, 0), "");
}

TEST(DriverDevice, AsksADriverOfAnotherProtocolInItsOwn) {
  Made made = make();
  made.machine->handlers[WPERF_CODE_VERSION] = [](std::span<std::byte> buffer, size_t) {
    WperfHeader header;
    std::memcpy(&header, buffer.data(), sizeof header);
    if (header.version != 4) return device::DriverAnswer{WPERF_BAD_VERSION, 0};
    WperfVersionReply reply{};
    reply.major = 5;
    reply.wire_version = 4;
    std::memcpy(buffer.data(), &reply, sizeof reply);
    return device::DriverAnswer{WPERF_OK, sizeof reply};
  };
  const auto version = made.device->driver_version();
  ASSERT_TRUE(version.has_value());
  EXPECT_EQ(version.value().major, 5u);
  EXPECT_EQ(version.value().wire_version, 4u);
  EXPECT_FALSE(version.value().compatible);
}

TEST(DriverDevice, GivesUpOnADriverThatRefusesEveryProtocol) {
  Made made = make();
  made.machine->handlers[WPERF_CODE_VERSION] = refuse(WPERF_BAD_VERSION);
  EXPECT_FALSE(made.device->driver_version().has_value());
}

// A machine with four cores. The driver reports how many clusters it knows.
Handler hardware_of(u32& clusters) {
  return [&clusters](std::span<std::byte> buffer, size_t) -> device::DriverAnswer {
    WperfHardwareReply reply{};
    reply.core_count = 4;
    reply.cluster_count = clusters;
    std::memcpy(buffer.data(), &reply, sizeof reply);
    return {WPERF_OK, sizeof reply};
  };
}

TEST(DriverDevice, TellsTheDriverOfTheClustersThatAcpiNames) {
  Made made = make();
  u32 known = 0;
  made.machine->clusters = 2;
  made.machine->handlers[WPERF_CODE_HARDWARE] = hardware_of(known);
  made.machine->handlers[WPERF_CODE_CORE] = answer(WperfCoreReply{});
  made.machine->handlers[WPERF_CODE_DSU_SETUP] = [&](std::span<std::byte> buffer, size_t) {
    WperfDsuSetupRequest request;
    std::memcpy(&request, buffer.data(), sizeof request);
    EXPECT_EQ(request.cluster_count, 2u);
    EXPECT_EQ(request.cluster_size, 2u);
    known = 2;
    return device::DriverAnswer{WPERF_OK, 0};
  };
  const auto machine = made.device->capabilities(device::Device::Spe::left_alone);
  ASSERT_TRUE(machine.has_value());
  EXPECT_EQ(machine.value().cluster_count, 2u);
}

TEST(DriverDevice, WithoutTheRightToNameUncoreUnitsTheCoresAreStillMeasured) {
  Made made = make();
  u32 known = 0;
  made.machine->clusters = 2;
  made.machine->memory = {{0x1000, 0x1000}};
  made.machine->handlers[WPERF_CODE_HARDWARE] = hardware_of(known);
  made.machine->handlers[WPERF_CODE_CORE] = answer(WperfCoreReply{});
  made.machine->handlers[WPERF_CODE_DSU_SETUP] = refuse(WPERF_ACCESS_DENIED);
  made.machine->handlers[WPERF_CODE_DMC_SETUP] = refuse(WPERF_ACCESS_DENIED);
  const auto machine = made.device->capabilities(device::Device::Spe::left_alone);
  ASSERT_TRUE(machine.has_value());
  EXPECT_EQ(machine.value().core_count, 4u);
  EXPECT_EQ(machine.value().cluster_count, 0u);
  made.machine->handlers[WPERF_CODE_DMC_SETUP] = refuse(WPERF_BAD_ARGUMENT);
  EXPECT_FALSE(made.device->capabilities(device::Device::Spe::left_alone).has_value());
}

TEST(DriverDevice, ClustersOfUnequalSizeAreNotSetUp) {
  Made made = make();
  u32 known = 0;
  made.machine->clusters = 3;
  made.machine->handlers[WPERF_CODE_HARDWARE] = hardware_of(known);
  made.machine->handlers[WPERF_CODE_CORE] = answer(WperfCoreReply{});
  ASSERT_TRUE(made.device->capabilities(device::Device::Spe::left_alone).has_value());
  EXPECT_EQ(std::count(made.machine->codes.begin(), made.machine->codes.end(), u32{WPERF_CODE_DSU_SETUP}), 0);
}

TEST(DriverDevice, PlanBecomesRequestAndAnswerBecomesReadings) {
  Made made = make();
  plan::CountPlan plan;
  plan.cores = {1, 65};
  plan.kernel = true;
  plan.period_ms = 20;
  plan::Entry entry;
  entry.code = 0x70;
  entry.group = 3;
  plan.schedules[0].entries = {entry};
  plan.schedules[0].counters = 6;
  made.machine->handlers[WPERF_CODE_COUNT_CONFIGURE] = [](std::span<std::byte> buffer, size_t) {
    WperfCountRequest request;
    std::memcpy(&request, buffer.data(), sizeof request);
    EXPECT_EQ(request.core_mask[0], 2u);
    EXPECT_EQ(request.core_mask[1], 2u);
    EXPECT_EQ(request.flags, u32{WPERF_COUNT_KERNEL});
    EXPECT_EQ(request.entry_count[WPERF_CLASS_CORE], 1u);
    EXPECT_EQ(request.core[0].event, 0x70);
    EXPECT_EQ(request.core[0].group, 3);
    return device::DriverAnswer{WPERF_OK, 0};
  };
  WperfCountReply reply{};
  reply.entry_count = 100000;  // a driver that returns nonsense: nothing beyond the array may be read
  reply.cycles = 7;
  reply.entries[0].value = 42;
  made.machine->handlers[WPERF_CODE_COUNT_READ] = answer(reply);
  auto session = made.device->open_count(plan);
  ASSERT_TRUE(session.has_value());
  ASSERT_TRUE(session.value()->start().has_value());
  ASSERT_TRUE(session.value()->stop().has_value());
  const auto capture = session.value()->read();
  ASSERT_TRUE(capture.has_value());
  ASSERT_EQ(capture.value().units.size(), 2u);
  EXPECT_EQ(capture.value().units[0].cycles, 7u);
  EXPECT_EQ(capture.value().units[0].entries.size(), size_t{WPERF_MAX_CORE_EVENTS});
  EXPECT_EQ(capture.value().units[0].entries[0].value, 42u);
}

// Padding keeps groups together in one time slot. If all events fit, the padding's counters are better used for cycles.
TEST(DriverDevice, PaddingIsCountedOnlyWhereItIsNeeded) {
  Made made = make();
  u32 counted = 0;
  made.machine->handlers[WPERF_CODE_COUNT_CONFIGURE] = [&](std::span<std::byte> buffer, size_t) {
    WperfCountRequest request;
    std::memcpy(&request, buffer.data(), sizeof request);
    counted = request.entry_count[WPERF_CLASS_CORE];
    return device::DriverAnswer{WPERF_OK, 0};
  };
  plan::Entry event, padding;
  padding.padding = true;
  plan::CountPlan plan;
  plan.schedules[0] = {.entries = {event, padding, padding}, .counters = 3};
  ASSERT_TRUE(made.device->open_count(plan).has_value());
  EXPECT_EQ(counted, 1u);
  plan.schedules[0] = {.entries = {event, event, event, event, padding, padding}, .counters = 3};
  ASSERT_TRUE(made.device->open_count(plan).has_value());
  EXPECT_EQ(counted, 6u);
}

TEST(DriverDevice, LossesAndTheSourceOfCyclesComeAlong) {
  const std::pair<u32, readings::CycleSource> sources[] = {{WPERF_CYCLES_NONE, readings::CycleSource::none},
                                                           {WPERF_CYCLES_COUNTED, readings::CycleSource::counted},
                                                           {WPERF_CYCLES_SHARED, readings::CycleSource::shared}};
  plan::CountPlan plan;
  plan.cores = {1};
  plan.schedules[0] = {.entries = {plan::Entry{}}, .counters = 1};
  for (const auto& [on_the_wire, expected] : sources) {
    Made made = make();
    WperfCountReply reply{};
    reply.cycles_source = on_the_wire;
    reply.losses = 3;
    reply.lost_ns = 77;
    made.machine->handlers[WPERF_CODE_COUNT_READ] = answer(reply);
    const auto capture = made.device->open_count(plan).value()->read();
    ASSERT_TRUE(capture.has_value());
    EXPECT_EQ(capture.value().units.at(0).cycle_source, expected);
    EXPECT_EQ(capture.value().units[0].losses, 3u);
    EXPECT_EQ(capture.value().units[0].lost_ns, 77u);
  }
}

TEST(DriverDevice, TheMachineIsKeptAwakeWhileSomethingIsMeasured) {
  Made made = make();
  auto session = made.device->open_count(plan::CountPlan{});
  ASSERT_TRUE(session.value()->start().has_value());
  EXPECT_EQ(made.machine->measurements, 1);
  ASSERT_TRUE(session.value()->stop().has_value());
  EXPECT_EQ(made.machine->measurements, 0);
  ASSERT_TRUE(session.value()->start().has_value());
  session.value().reset();
  EXPECT_EQ(made.machine->measurements, 0);
}

TEST(DriverDevice, AbandonedSessionStopsTheDriver) {
  Made made = make();
  {
    auto session = made.device->open_count(plan::CountPlan{});
    ASSERT_TRUE(session.has_value());
    ASSERT_TRUE(session.value()->start().has_value());
  }
  EXPECT_EQ(made.machine->codes.back(), u32{WPERF_CODE_COUNT_STOP});
}

// Drains core 1 of a driver; `fill` makes the driver's answers.
void drain(Made& made, const std::function<void(WperfDrainReply&)>& fill, readings::SampleCapture& capture) {
  made.machine->handlers[WPERF_CODE_SAMPLE_DRAIN] = [&fill](std::span<std::byte> buffer, size_t) {
    auto reply = std::make_unique<WperfDrainReply>();
    fill(*reply);
    std::memcpy(buffer.data(), reply.get(), sizeof *reply);
    return device::DriverAnswer{WPERF_OK, sizeof *reply};
  };
  plan::SamplePlan plan;
  plan.cores = {1};
  auto session = made.device->open_sampling(plan);
  ASSERT_TRUE(session.has_value());
  ASSERT_TRUE(session.value()->drain(capture).has_value());
}

// A driver whose ring has 2048 samples of other programs, followed by three of this one.
TEST(DriverDevice, SamplesBehindThoseOfOthersAreDrained) {
  Made made = make();
  u32 asked = 0;
  const auto fill = [&asked](WperfDrainReply& reply) {
    ++asked;
    reply.taken = 2051;
    reply.lost_filtered = std::min(asked, 2u) * 1024;
    reply.more = asked < 3 ? 1 : 0;
    reply.count = asked == 3 ? 3 : 0;
  };
  readings::SampleCapture capture;
  drain(made, fill, capture);
  ASSERT_EQ(capture.core_statistics.size(), 1u);
  EXPECT_EQ(capture.samples.size(), 3u);
  EXPECT_EQ(capture.core_statistics[0].lost_filtered, 2048u);
}

// If a driver always announces more data but never sends any, the requests must end.
TEST(DriverDevice, EmptyDrainIsNotRepeated) {
  Made made = make();
  u32 asked = 0;
  const auto fill = [&asked](WperfDrainReply& reply) {
    ++asked;
    reply.more = 1;
  };
  readings::SampleCapture capture;
  drain(made, fill, capture);
  EXPECT_EQ(asked, 1u);
}

}  // namespace
}  // namespace wperf::wperf_driver
