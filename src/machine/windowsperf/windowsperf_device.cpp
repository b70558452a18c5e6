// SPDX-License-Identifier: BSD-3-Clause
// Arm's driver as a device: the supported versions, its lock, and the facts about the hardware. Closing the handle does
// not release the lock, so the holder releases the lock first.
#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <tuple>

#include "machine/windowsperf/driver.h"
#include "machine/windowsperf/windowsperf_machine.h"
#include "machine/wperf_driver/driver_call.h"

namespace wperf::windowsperf {
namespace {

constexpr std::tuple<u32, u32, u32> kFirstVersion{3, 7, 1}, kLastVersion{3, 8, 0};

std::string ascii_of(std::span<const char16_t> text) {
  std::string ascii;
  for (const char16_t unit : text) {
    if (unit == 0) break;
    ascii += unit >= 0x20 && unit < 0x7f ? static_cast<char>(unit) : '?';
  }
  return ascii;
}

// The layouts changed in nearly every version, under the same codes.
diag::Result<void> check_version(const std::optional<FileVersion>& version) {
  diag::Error error{.text =
                        "cannot read the version of Arm's driver (WindowsPerf) from its file; wperf does not use "
                        "drivers of unknown versions",
                    .hint = "install WindowsPerf 3.8.0, or use wperf's own driver: --device driver",
                    .code = diag::ExitCode::no_device};
  if (!version.has_value()) return error;
  const std::tuple number{version->major, version->minor, version->patch};
  if (number >= kFirstVersion && number <= kLastVersion) return {};
  error.text = fmt::format(
      "Arm's driver (WindowsPerf) on this machine is version {}.{}.{}; wperf supports 3.7.1 to 3.8.0 only, because "
      "other versions use the same request numbers differently",
      version->major, version->minor, version->patch);
  return error;
}

class WindowsPerfDevice final : public device::Device {
 public:
  explicit WindowsPerfDevice(std::unique_ptr<WindowsPerfMachine> machine)
      : machine_(std::move(machine)), opened_{.machine = *machine_, .driver = Driver(*machine_), .name = {}} {}
  ~WindowsPerfDevice() override {
    if (locked_) (void)opened_.driver.unlock();
  }
  WindowsPerfDevice(const WindowsPerfDevice&) = delete;
  WindowsPerfDevice& operator=(const WindowsPerfDevice&) = delete;

  diag::Result<void> acquire(bool force) override;
  diag::Result<device::DriverVersion> driver_version() override;
  diag::Result<plan::Capabilities> capabilities(Spe spe) override;
  diag::Result<std::unique_ptr<device::CountSession>> open_count(const plan::CountPlan& plan) override {
    return open_count_session(opened_, plan);
  }
  diag::Result<std::unique_ptr<device::SampleSession>> open_sampling(const plan::SamplePlan& plan) override {
    return open_sample_session(opened_, plan);
  }
  diag::Result<std::unique_ptr<device::SpeSession>> open_spe(const plan::SpePlan&) override {
    return diag::Error{.text = why_no_spe(), .hint = {}};
  }
  device::Programs& programs() override { return *machine_; }
  device::DeviceIdentity identity() override { return machine_->identity(); }

 private:
  diag::Result<void> take_lock(bool force);
  diag::Result<void> meet();
  diag::Result<void> end_what_was_left();
  void set_up_dsu();
  void set_up_dmc(const std::vector<device::DeviceMemory>& channels);
  std::string why_no_spe() const;

  std::unique_ptr<WindowsPerfMachine> machine_;
  Opened opened_;
  VersionBlock version_{};
  DmcCounters dmc_counters_{};
  u32 dmc_channels_ = 0;
  bool locked_ = false, uncore_set_up_ = false;
};

diag::Result<void> WindowsPerfDevice::take_lock(bool force) {
  WPERF_TRY(const LockStatus status, opened_.driver.lock(force));
  diag::Error error;
  switch (status) {
    case LockStatus::acquired:
      locked_ = true;
      return {};
    case LockStatus::busy:
      error = wperf_driver::error_of_status(WPERF_LOCK_BUSY, 0);
      error.hint =
          "this driver stays locked if the process that uses it is killed; if none is running, take it with "
          "--force-lock";
      return error;
    case LockStatus::no_counters:
      error = wperf_driver::error_of_status(WPERF_NO_COUNTERS, 0);
      error.hint = "another program uses all counters, most likely Windows event tracing (xperf -pmc, wpr)";
      return error;
    default:
      return diag::Error{.text = "Arm's driver could not reserve the counters", .hint = "restart Windows"};
  }
}

// The sizes of the driver's answers and its version must match its file.
diag::Result<void> WindowsPerfDevice::meet() {
  WPERF_TRY(version_, opened_.driver.version());
  const FileVersion loaded{.major = version_.major, .minor = version_.minor, .patch = version_.patch};
  WPERF_CHECK_OK(check_version(loaded));
  WPERF_TRY(opened_.hardware, opened_.driver.hardware());
  opened_.name = fmt::format("Arm's driver (WindowsPerf {}.{}.{})", loaded.major, loaded.minor, loaded.patch);
  return {};
}

// A process that lost the lock or was killed leaves the driver's timers and interrupts running.
diag::Result<void> WindowsPerfDevice::end_what_was_left() {
  Scope all;
  for (u32 core = 0; core < opened_.driver.core_count(); ++core) all.cores.push_back(core);
  WPERF_CHECK_OK(opened_.driver.stop(all));
  for (const u32 core : all.cores) {
    WPERF_TRY(const SampleTotals totals, opened_.driver.stop_sampling(core));
    (void)totals;
  }
  return {};
}

diag::Result<void> WindowsPerfDevice::acquire(bool force) {
  WPERF_CHECK_OK(check_version(machine_->file_version()));
  WPERF_CHECK_OK(take_lock(force));
  machine_->pause(kSettlingNs);
  WPERF_CHECK_OK(meet());
  if (force) WPERF_CHECK_OK(end_what_was_left());
  return {};
}

diag::Result<device::DriverVersion> WindowsPerfDevice::driver_version() {
  const std::optional<FileVersion> file = machine_->file_version();
  device::DriverVersion version;
  version.is_windowsperf = true;
  const auto checked = check_version(file);
  version.compatible = checked.has_value();
  if (!version.compatible) version.refusal = checked.error();
  if (file.has_value()) {
    version.major = file->major;
    version.minor = file->minor;
    version.patch = file->patch;
  }
  if (!locked_) return version;
  version.major = version_.major;
  version.minor = version_.minor;
  version.patch = version_.patch;
  version.git = ascii_of(version_.git);
  version.features = ascii_of(version_.features);
  return version;
}

// A list that the driver would count wrongly, or that would corrupt its memory, is not sent. In that case there is no
// DSU.
void WindowsPerfDevice::set_up_dsu() {
  const u32 clusters = machine_->dsu_clusters();
  const u32 cores = opened_.hardware.core_count;
  if (clusters == 0 || cores % clusters != 0 || cores > kMostCores) return;
  const auto counters = opened_.driver.init_dsu(clusters, cores / clusters);
  if (!counters.has_value()) return;
  opened_.cluster_count = clusters;
  opened_.cluster_size = cores / clusters;
  opened_.dsu_counters = counters.value().general;
}

void WindowsPerfDevice::set_up_dmc(const std::vector<device::DeviceMemory>& channels) {
  if (channels.empty()) return;
  const auto counters = opened_.driver.init_dmc(channels);
  if (!counters.has_value()) return;
  dmc_counters_ = counters.value();
  dmc_channels_ = static_cast<u32>(channels.size());
}

std::string WindowsPerfDevice::why_no_spe() const {
  if (ascii_of(version_.features).find("+spe") == std::string::npos)
    return opened_.name +
           " was built without SPE, as all signed versions are: it reports success for SPE requests but does nothing";
  return opened_.name +
         " was built with SPE, but wperf does not use it, because the driver supports neither intervals nor kernel "
         "filters";
}

diag::Result<plan::Capabilities> WindowsPerfDevice::capabilities(Spe) {
  const std::vector<device::DeviceMemory> channels = machine_->dmc_channels();
  if (!uncore_set_up_) {
    uncore_set_up_ = true;  // a second list of channels would be applied only partly
    set_up_dsu();
    set_up_dmc(channels);
  }
  const HardwareAnswer& hardware = opened_.hardware;
  plan::Capabilities machine;
  machine.midr = hardware.midr;
  machine.id_aa64dfr0 = hardware.id_aa64dfr0;
  machine.core_count = opened_.driver.core_count();
  machine.counters_total = {hardware.total_counters, opened_.dsu_counters, dmc_counters_.clk_general,
                            dmc_counters_.clkdiv2_general};
  machine.counters_free = machine.counters_total;
  machine.counters_free[index_of(EventClass::core)] = hardware.free_counters;
  machine.cluster_count = opened_.cluster_count;
  machine.cluster_size = opened_.cluster_size;
  machine.dmc_channels = dmc_channels_;
  machine.named_clusters = machine_->dsu_clusters();
  machine.named_dmc_channels = static_cast<u32>(channels.size());
  machine.period_default_ms = machine.period_min_ms;  // counts end with a tick, so a short period is better
  machine.core_midr = machine_->core_midrs();
  machine.core_midr.resize(machine.core_count, hardware.midr);
  machine.counter_map.fill(0xff);
  std::copy_n(std::begin(hardware.counter_map), hardware.free_counters, machine.counter_map.begin());
  machine.device_id = ascii_of(hardware.device_id);
  machine.call_stacks = false;
  machine.foreign_driver = opened_.name;
  machine.why_no_spe = why_no_spe();
  return machine;
}

}  // namespace

std::unique_ptr<device::Device> make_windowsperf_device(std::unique_ptr<WindowsPerfMachine> machine) {
  return std::make_unique<WindowsPerfDevice>(std::move(machine));
}

}  // namespace wperf::windowsperf
