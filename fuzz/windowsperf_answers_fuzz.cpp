// SPDX-License-Identifier: BSD-3-Clause
// Answers of Arm's driver. For any bytes, sizes and errors, counting and sampling end with counts, samples or an error.
// wperf never sends a dangerous request that the driver does not check.
#include <cstdlib>

#include "machine/windowsperf/windowsperf_machine.h"
#include "machine/windowsperf/windowsperf_wire.h"

namespace {

using namespace wperf;
using namespace wperf::device;

void require(bool holds) {
  if (!holds) std::abort();
}

class FuzzedMachine final : public windowsperf::WindowsPerfMachine {
 public:
  FuzzedMachine(const uint8_t* data, size_t size) : data_(data), left_(size) {}

  diag::Result<windowsperf::Answer> control(u32, std::span<const std::byte> input,
                                            std::span<std::byte> output) override {
    require(!input.empty() && output.size() <= windowsperf::kMostOutput);
    const u32 kind = byte();
    if (kind % 16 == 0) return windowsperf::Answer{.error = 20 + byte(), .bytes = 0};
    // Most answers have an expected size, which is one of these.
    constexpr size_t kSizes[] = {4, 336, 324, 4112, 16, 4104, 1040, 2, 784, 0, 8192, 100000};
    const size_t size = kSizes[byte() % std::size(kSizes)];
    for (size_t i = 0; i < std::min({size, output.size(), left_}); ++i) output[i] = static_cast<std::byte>(data_[i]);
    const size_t used = std::min({size, output.size(), left_});
    data_ += used;
    left_ -= used;
    return windowsperf::Answer{.error = 0, .bytes = size};
  }
  std::optional<windowsperf::FileVersion> file_version() override {
    return windowsperf::FileVersion{.major = 3, .minor = 8, .patch = 0};
  }
  std::vector<u64> core_midrs() override { return {}; }
  void pause(u64) override {}
  diag::Result<u32> spawn(const std::string&, const std::string&, u32) override { return 1u; }
  ProcessState process(u32) override { return {}; }
  void kill(u32) override {}
  std::vector<readings::Process> processes() override { return {}; }
  diag::Result<void> wait(u64 nanoseconds, u32) override {
    now_ += nanoseconds * 50;
    return {};
  }
  u64 now_ns() override { return now_ += 1000; }
  std::vector<DeviceMemory> dmc_channels() override { return {{0x1000, 0x1000}, {0x2000, 0x1000}}; }
  u32 dsu_clusters() override { return 2; }
  DeviceIdentity identity() override { return {}; }

 private:
  u32 byte() {
    if (left_ == 0) return 1;
    --left_;
    return *data_++;
  }

  const uint8_t* data_;
  size_t left_;
  u64 now_ = 0;
};

void count(Device& device, const plan::Capabilities& machine, u32 which) {
  plan::CountPlan plan;
  plan.cores = which % 2 == 0 ? std::vector<u32>{0} : std::vector<u32>{0, machine.core_count - 1};
  if (plan.cores.back() == 0) plan.cores.resize(1);
  plan.kernel = which % 3 == 0;
  for (u32 channel = 0; channel < machine.dmc_channels; ++channel) plan.dmc_channels.push_back(channel);
  for (const EventClass event_class : {EventClass::core, EventClass::dsu, EventClass::dmc_clkdiv2}) {
    if ((which >> index_of(event_class) & 4) != 0 || machine.counters_free[index_of(event_class)] == 0) continue;
    plan::Schedule& schedule = plan.schedules[index_of(event_class)];
    schedule.counters = machine.counters_free[index_of(event_class)];
    schedule.entries.resize(event_class == EventClass::core ? 7 : 1);
  }
  if (!plan.has_events()) return;
  auto session = device.open_count(plan);
  if (!session.has_value() || !session.value()->start().has_value()) return;
  if (!session.value()->check().has_value() || !session.value()->stop().has_value()) return;
  const auto capture = session.value()->read();
  if (!capture.has_value()) return;
  for (const readings::UnitCounts& unit : capture.value().units) {
    require(unit.entries.size() <= plan.schedules[index_of(unit.event_class)].entries.size());
    for (const readings::CounterReading& reading : unit.entries) require(reading.slots <= unit.rounds);
  }
}

void sample(Device& device) {
  plan::SamplePlan plan;
  plan.cores = {0};
  plan.events.resize(1);
  auto session = device.open_sampling(plan);
  if (!session.has_value() || !session.value()->start().has_value()) return;
  readings::SampleCapture capture;
  for (int i = 0; i < 4; ++i) {
    if (!device.programs().wait(session.value()->drain_every_ns(100'000'000), 0).has_value()) return;
    if (!session.value()->drain(capture).has_value()) return;
  }
  for (const readings::DrainedSample& one : capture.samples) require(one.overflowed == 1);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size < 2) return 0;
  const auto device = windowsperf::make_windowsperf_device(std::make_unique<FuzzedMachine>(data + 1, size - 1));
  if (!device->acquire((data[0] & 1) != 0).has_value()) return 0;
  const auto machine = device->capabilities(Device::Spe::asked_for);
  if (!machine.has_value()) return 0;
  require(machine.value().core_count != 0 && machine.value().core_count <= windowsperf::kMostCores);
  if ((data[0] & 2) != 0) {
    sample(*device);
  } else {
    count(*device, machine.value(), data[0] >> 2);
  }
  return 0;
}
