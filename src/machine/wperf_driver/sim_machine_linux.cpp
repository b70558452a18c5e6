// SPDX-License-Identifier: BSD-3-Clause
// The simulated machine: libwperf-sim.so, loaded on demand from the program's folder or its prefix.
#include <algorithm>
#include <memory>

#include "ground/os/files.h"
#include "ground/os/process.h"
#include "ground/os/shared_library.h"
#include "machine/wperf_driver/driver_device.h"
#include "machine/wperf_driver/sim_machine.h"
#include "sim/machine_api.h"

namespace wperf::wperf_driver {
namespace {

constexpr const char* kLibrary = "libwperf-sim.so";

diag::Error error_of(const WperfSimError& error) {
  return {.text = error.text, .hint = error.hint};
}

class SimMachine final : public SimulatedMachine {
 public:
  SimMachine(const WperfSimApi* api, WperfSim* sim, std::string options)
      : api_(api), sim_(sim), options_(std::move(options)) {}
  ~SimMachine() override { api_->close(sim_); }
  SimMachine(const SimMachine&) = delete;
  SimMachine& operator=(const SimMachine&) = delete;

  diag::Result<device::DriverAnswer> control(u32 code, std::span<std::byte> buffer, size_t input) override {
    u32 returned = 0;
    const WperfStatus status =
        api_->control(sim_, code, buffer.data(), static_cast<u32>(input), static_cast<u32>(buffer.size()), &returned);
    return device::DriverAnswer{status, returned};
  }

  diag::Result<std::unique_ptr<SimulatedMachine>> join() override {
    WperfSimError error{};
    WperfSim* const sim = api_->join(sim_, &error);
    if (sim == nullptr) return error_of(error);
    return std::unique_ptr<SimulatedMachine>(std::make_unique<SimMachine>(api_, sim, options_));
  }

  diag::Result<u32> spawn(const std::string& image, const std::string& command_line, u32 core) override {
    auto started = start({.image = image, .command_line = command_line, .core = core, .affinity = 0, .streams = {}});
    return started.has_value() ? std::move(started) : refused_program(std::move(started).error());
  }

  diag::Result<u32> start(const SimulatedProgram& program) override {
    WperfSimError error{};
    const WperfSimProgram spawned{.image_path = program.image.c_str(),
                                  .argument_line = program.command_line.c_str(),
                                  .core = program.core,
                                  .affinity = program.affinity,
                                  .streams = program.streams.has_value() ? program.streams->data() : nullptr};
    const u32 pid = api_->spawn(sim_, &spawned, &error);
    if (pid != 0) return pid;
    return error_of(error);
  }

  device::ProcessState process(u32 pid) override {
    WperfSimProcess process{};
    if (api_->process(sim_, pid, &process) == 0) return {};
    return {.running = process.running != 0,
            .exit_code = process.exit_code,
            .has_times = process.running == 0,
            .user_ns = process.user_ns,
            .system_ns = process.system_ns};
  }

  void kill(u32 pid) override { api_->kill(sim_, pid); }

  bool interrupt(u32 pid) override { return api_->interrupt(sim_, pid) != 0; }

  std::optional<diag::Error> crash_of(u32 pid) override {
    WperfSimError error{};
    api_->crashed(sim_, pid, &error);
    if (error.text[0] == '\0') return std::nullopt;
    return error_of(error);
  }

  std::vector<readings::Process> processes() override {
    std::vector<WperfSimProcess> known(api_->programs(sim_, nullptr, 0));
    known.resize(std::min<size_t>(known.size(), api_->programs(sim_, known.data(), static_cast<u32>(known.size()))));
    std::vector<readings::Process> processes;
    for (const WperfSimProcess& one : known) {
      readings::Process process{.pid = one.pid,
                                .image = {},
                                .core = one.core,
                                .running = one.running != 0,
                                .exit_code = one.exit_code,
                                .modules = modules_of(one.pid),
                                .threads = threads_of(one.pid)};
      if (!process.modules.empty()) process.image = process.modules.front().path;
      processes.push_back(std::move(process));
    }
    return processes;
  }

  diag::Result<void> wait(u64 nanoseconds, u32 until_pid) override {
    WperfSimError error{};
    api_->wait(sim_, nanoseconds, until_pid, &error);
    if (error.text[0] != '\0') return error_of(error);
    return {};
  }

  u64 now_ns() override { return api_->now_ns(sim_); }
  std::optional<u64> seed() const override {
    const auto seed = option_of(options_, "seed");
    return seed.has_value() ? std::strtoull(seed->c_str(), nullptr, 0) : 1;
  }

  std::string_view way_to_output() const override {
    return option_of(options_, "console") == "shown" ? "" : "console=shown among the settings of --device shows it";
  }

  u32 usual_cycle_interval() const override { return kSimulatedCycleInterval; }

  std::vector<device::DeviceMemory> dmc_channels() override {
    u64 bases[16] = {};
    u64 sizes[16] = {};
    const u32 count = api_->dmc_channels(sim_, bases, sizes, 16);
    std::vector<device::DeviceMemory> channels;
    for (u32 i = 0; i < count && i < 16; ++i) channels.push_back({bases[i], sizes[i]});
    return channels;
  }

  u32 dsu_clusters() override { return 0; }  // its driver finds them

  device::DeviceIdentity identity() override { return simulated_identity(); }

  std::string model() override { return api_->model(sim_); }

  bool watch_samples(device::SampleWatcher* watcher) override {
    const WperfSimWatcher see = [](void* context, const WperfSimMoment* moment) {
      static_cast<device::SampleWatcher*>(context)->see({.time_ns = moment->time_ns,
                                                         .ticks = moment->ticks,
                                                         .pc = moment->pc,
                                                         .process = moment->process,
                                                         .thread = moment->thread,
                                                         .core = moment->core});
    };
    api_->watch_samples(sim_, watcher != nullptr ? see : nullptr, watcher);
    return true;
  }
  bool read_memory(u32 pid, u64 address, std::span<std::byte> to) override {
    return api_->read_memory(sim_, pid, address, to.data(), to.size()) != 0;
  }

  void watch_schedule(std::span<const u16> events) override {
    api_->watch_schedule(sim_, events.data(), static_cast<u32>(events.size()));
  }
  std::vector<WperfSimScheduleEvent> take_schedule() override {
    constexpr usize kStep = 4096;
    std::vector<WperfSimScheduleEvent> all;
    while (true) {
      const usize before = all.size();
      all.resize(before + kStep);
      const u32 taken = api_->take_schedule(sim_, all.data() + before, kStep);
      all.resize(before + taken);
      if (taken < kStep) return all;
    }
  }
  usize schedule_notes() override { return api_->take_schedule(sim_, nullptr, 0); }
  void unwatch_schedule() override { api_->unwatch_schedule(sim_); }
  void visit_cores(u32 process, u32 thread) override { api_->visit_cores(sim_, process, thread); }
  std::vector<WperfSimThreadTruth> schedule_truth() override {
    std::vector<WperfSimThreadTruth> truth(api_->schedule_truth(sim_, nullptr, 0));
    truth.resize(
        std::min<size_t>(truth.size(), api_->schedule_truth(sim_, truth.data(), static_cast<u32>(truth.size()))));
    return truth;
  }

 private:
  std::vector<readings::Module> modules_of(u32 pid) {
    std::vector<WperfSimModule> known(api_->modules(sim_, pid, nullptr, 0));
    known.resize(
        std::min<size_t>(known.size(), api_->modules(sim_, pid, known.data(), static_cast<u32>(known.size()))));
    std::vector<readings::Module> modules;
    for (const WperfSimModule& one : known) {
      modules.push_back({.name = one.name, .path = one.path, .base = one.base, .size = one.size, .entry = one.entry});
    }
    return modules;
  }

  std::vector<u32> threads_of(u32 pid) {
    std::vector<u32> ids(api_->threads(sim_, pid, nullptr, 0));
    ids.resize(std::min<size_t>(ids.size(), api_->threads(sim_, pid, ids.data(), static_cast<u32>(ids.size()))));
    return ids;
  }

  const WperfSimApi* api_;
  WperfSim* sim_;
  std::string options_;  // accepted by the simulator
};

}  // namespace

std::optional<std::string> option_of(std::string_view options, std::string_view key) {
  std::optional<std::string> value;
  while (!options.empty()) {
    const std::string_view one = options.substr(0, options.find(','));
    options.remove_prefix(std::min(one.size() + 1, options.size()));
    if (one.starts_with(key) && one.substr(key.size()).starts_with('=')) value = one.substr(key.size() + 1);
  }
  return value;
}

// The error has the text that scripts know from Windows.
diag::Error refused_program(diag::Error error) {
  error.text = "CreateProcess failed: " + error.text;
  error.hint = "--device or WPERF_DEVICE chose the device sim" + (error.hint.empty() ? "" : "; " + error.hint);
  return error;
}

diag::Result<std::unique_ptr<SimulatedMachine>> open_simulated_machine(const std::string& options) {
  auto library = os::SharedLibrary::load(os::companion_file(os::program_folder(), kLibrary));
  if (!library.has_value()) {
    return diag::Error{
        .text = "cannot load the simulator: " + library.error().text,
        .hint = std::string("install the package wperf-sim, or keep ") + kLibrary + " in the folder of wperf",
        .code = diag::ExitCode::no_device};
  }
  using ApiFunction = const WperfSimApi* (*)();
  const auto function = reinterpret_cast<ApiFunction>(library.value().find("wperf_sim_api"));
  const WperfSimApi* api = function != nullptr ? function() : nullptr;
  if (api == nullptr || api->version != WPERF_SIM_API_VERSION) {
    return diag::Error{.text = std::string(kLibrary) + " belongs to another wperf",
                       .hint = "build both together with scripts/build",
                       .code = diag::ExitCode::no_device};
  }
  WperfSimError error{};
  WperfSim* sim = api->open(options.c_str(), &error);
  if (sim == nullptr) {
    diag::Error failure = error_of(error);
    failure.code = diag::ExitCode::usage;
    return failure;
  }
  return std::unique_ptr<SimulatedMachine>(std::make_unique<SimMachine>(api, sim, options));
}

diag::Result<std::unique_ptr<device::DriverMachine>> open_sim_machine(const std::string& options) {
  WPERF_TRY(auto machine, open_simulated_machine(options));
  return std::unique_ptr<device::DriverMachine>(std::move(machine));
}

}  // namespace wperf::wperf_driver
