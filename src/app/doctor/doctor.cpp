// SPDX-License-Identifier: BSD-3-Clause
#include "app/doctor/doctor.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "app/doctor/selftest.h"
#include "app/measure/opened_machine.h"
#include "app/output/outputs.h"
#include "ground/os/machine_facts.h"
#include "ground/os/process.h"
#include "machine/devices/devices.h"
#include "machine/linux_kernel/linux_device.h"
#include "machine/plan/counters.h"
#include "machine/plan/spe_plan.h"
#include "machine/windows/driver_facts.h"
#include "model/answers/tool_answers.h"
#include "views/report/tool_reports.h"
#include "wperf_version.h"

namespace wperf::doctor {
namespace {

using answers::Check;
using answers::CheckStatus;

constexpr u64 kTrialMs = 50;

// The first line of a contract text, without an initial word for scripts such as "error:".
std::string first_line(const diag::Error& error) {
  std::string line = error.text.substr(0, error.text.find('\n'));
  for (const std::string_view word : {"error: ", "warning: "}) {
    if (error.verbatim && line.starts_with(word)) line.erase(0, word.size());
  }
  return line;
}

Check failure(std::string name, const diag::Error& error) {
  return {.name = std::move(name), .status = CheckStatus::fail, .detail = first_line(error), .fix = error.hint};
}

Check check_driver(device::Device& device) {
  const auto version = device.driver_version();
  if (!version.has_value()) return failure("driver", version.error());
  const auto& driver = version.value();
  const std::string number = measure::number_text(driver);
  if (!driver.compatible) return failure("driver", measure::version_mismatch(driver));
  if (driver.is_windowsperf) {
    return {.name = "driver", .detail = "Arm's driver (WindowsPerf), version " + number, .fix = {}};
  }
  if (number != kVersion) {
    return {.name = "driver",
            .status = CheckStatus::warn,
            .detail = fmt::format("version {}, this wperf is {}", number, kVersion),
            .fix = "install the driver that came with this wperf"};
  }
  return {.name = "driver", .detail = fmt::format("version {} ({}{})", number, driver.git, driver.features), .fix = {}};
}

// Counts cycles on core 0, including the kernel, for a short time; even an idle core runs its timer tick.
Check check_pmu(device::Device& device, const plan::Capabilities& machine) {
  if (const auto answers = plan::check_counters_answer(machine); !answers.has_value()) {
    return failure("pmu", answers.error());
  }
  plan::CountPlan trial;
  trial.cores = {0};
  trial.kernel = true;
  trial.period_ms = machine.period_default_ms;
  plan::Entry instructions;
  instructions.name = "inst_retired";
  instructions.code = 0x08;
  trial.schedules[index_of(EventClass::core)] = {.entries = {instructions}, .counters = 1};
  auto session = device.open_count(trial);
  if (!session.has_value()) return failure("pmu", session.error());
  if (auto started = session.value()->start(); !started.has_value()) return failure("pmu", started.error());
  if (auto waited = device.programs().wait(kTrialMs * measure::kNanosecondsPerMillisecond, 0); !waited.has_value()) {
    return failure("pmu", waited.error());
  }
  if (auto stopped = session.value()->stop(); !stopped.has_value()) return failure("pmu", stopped.error());
  const auto capture = session.value()->read();
  if (!capture.has_value()) return failure("pmu", capture.error());
  const auto& unit = capture.value().units.at(0);
  const u64 counted = unit.entries.empty() ? 0 : unit.entries[0].value;
  if (unit.cycles == 0 || counted == 0) {
    return {
        .name = "pmu",
        .status = CheckStatus::fail,
        .detail =
            fmt::format("{} cycles and {} instructions counted on core 0 in {} ms", unit.cycles, counted, kTrialMs),
        .fix =
            "the PMU is not visible to this system (a virtual machine?); to learn wperf meanwhile, use --device sim"};
  }
  return {
      .name = "pmu",
      .detail = fmt::format("counted {} cycles and {} instructions on core 0 in {} ms", unit.cycles, counted, kTrialMs),
      .fix = {}};
}

Check check_counters(const plan::Capabilities& machine) {
  const u32 total = machine.counters_total[index_of(EventClass::core)];
  const u32 free = machine.counters_free[index_of(EventClass::core)];
  Check check{.name = "counters", .detail = fmt::format("{} of {} programmable counters free", free, total), .fix = {}};
  if (!machine.why_no_counters.empty()) check.status = CheckStatus::fail;
  if (free < total) {
    check.status = free == 0 ? CheckStatus::fail : CheckStatus::warn;
    check.detail += fmt::format(", {} used by others", total - free);
    check.fix = "stop the other profiler or hypervisor that uses the PMU";
  }
  return check;
}

Check check_cores(const plan::Capabilities& machine) {
  std::vector<u64> kinds = machine.core_midr;
  std::sort(kinds.begin(), kinds.end());
  kinds.erase(std::unique(kinds.begin(), kinds.end()), kinds.end());
  std::string text = fmt::format("{} cores", machine.core_count);
  for (const u64 midr : kinds) {
    const auto count = std::count(machine.core_midr.begin(), machine.core_midr.end(), midr);
    text += fmt::format(", {} x {} (MIDR {:#x})", count, pmu::identify(midr).title(), midr);
  }
  return {.name = "cores", .detail = text, .fix = {}};
}

Check check_spe(const plan::Capabilities& machine) {
  const bool present = ((machine.id_aa64dfr0 >> 32) & 0xf) != 0;
  if (!present) return {.name = "spe", .status = CheckStatus::warn, .detail = "not in this hardware", .fix = {}};
  if (!machine.why_no_spe.empty()) {
    return {.name = "spe",
            .status = CheckStatus::warn,
            .detail = machine.why_no_spe,
            .fix = "use wperf's own driver, or sample an event instead"};
  }
  if (machine.pmsidr == 0) {
    return {.name = "spe",
            .status = CheckStatus::warn,
            .detail = "in the hardware, but wperf cannot use it",
            .fix = "a hypervisor or the firmware blocks it; sample an event instead"};
  }
  const plan::SpeAbilities abilities = plan::spe_abilities(machine.pmsidr);
  return {.name = "spe",
          .detail = fmt::format("{}, interval of {} operations or more, latencies up to {} cycles",
                                pmu::spe_version_name(machine.id_aa64dfr0), abilities.least_interval,
                                (1u << abilities.latency_bits) - 1),
          .fix = {}};
}

struct Uncore {
  const char* name;
  const char* what;
  const char* kind;
};

// `there`: the system lists such units. Then the driver needs their addresses, which only administrators may set.
Check check_uncore(const Uncore& uncore, u32 units, bool there) {
  if (units != 0) return {.name = uncore.name, .detail = fmt::format("{} {}", units, uncore.what), .fix = {}};
  if (there) {
    return {.name = uncore.name,
            .status = CheckStatus::warn,
            .detail = fmt::format("this machine has a {}, but this user may not configure it", uncore.kind),
            .fix = "run wperf as administrator"};
  }
  return {
      .name = uncore.name, .status = CheckStatus::warn, .detail = fmt::format("no {} found", uncore.kind), .fix = {}};
}

Check check_symbols() {
  const auto path = os::environment("_NT_SYMBOL_PATH");
  if (path.has_value() && !path->empty()) return {.name = "symbols", .detail = "_NT_SYMBOL_PATH=" + *path, .fix = {}};
  return {.name = "symbols",
          .status = CheckStatus::warn,
          .detail = "_NT_SYMBOL_PATH is not set; counting does not need it",
          .fix = "set _NT_SYMBOL_PATH=srv*<cache folder>*<symbol server>"};
}

Check check_privileges(const std::string& device) {
  if (device.rfind("sim", 0) == 0)
    return {.name = "privileges", .detail = "the simulated machine needs no rights", .fix = {}};
  if (device.rfind("windowsperf", 0) == 0)
    return {.name = "privileges", .detail = "the driver accepts every user", .fix = {}};
  return {.name = "privileges", .detail = "the driver accepts this user", .fix = {}};
}

// Does not try to sample, because that would take the interrupt away from Windows.
std::optional<Check> check_interrupt(device::Device& device) {
  const auto state = device.interrupt_state();
  if (!state.has_value()) return failure("interrupt", state.error());
  Check check{.name = "interrupt", .detail = {}, .fix = {}};
  switch (state.value()) {
    case device::InterruptState::unknown:
      return {};
    case device::InterruptState::not_asked:
      check.detail = "the driver requests the counters' interrupt when sampling starts";
      break;
    case device::InterruptState::held:
      check.detail = "the driver has the counters' interrupt";
      break;
    case device::InterruptState::refused:
      check.status = CheckStatus::warn;
      check.detail = "the driver did not get the counters' interrupt: counting works, sampling does not";
      check.fix = "end other profilers that use counters, then sample again";
      break;
    case device::InterruptState::not_given_again:
      check.status = CheckStatus::warn;
      check.detail =
          "Windows does not give the counters' interrupt back to a driver that was removed or updated: counting works, "
          "sampling does not";
      check.fix = "restart Windows";
      break;
    case device::InterruptState::maybe_not_again:
      check.detail =
          "the driver was removed or updated after it had the counters' interrupt; if Windows does not give it back, "
          "restart Windows";
      break;
  }
  return check;
}

// Checks Windows and its rules for drivers; empty on other systems.
std::vector<Check> check_system(bool works) {
  const auto windows = os::windows_facts();
  const auto driver = windows::driver_facts();
  if (!windows.has_value() || !driver.has_value()) return {};
  return windows_checks(*windows, *driver, works);
}

std::vector<Check> checks_of(const std::vector<device::DeviceCheck>& found) {
  std::vector<Check> checks;
  for (const device::DeviceCheck& one : found) {
    checks.push_back({.name = one.name,
                      .status = one.is_good ? CheckStatus::ok : CheckStatus::warn,
                      .detail = one.detail,
                      .fix = one.fix});
  }
  return checks;
}

// For recording by Windows itself: the checks show who may use Windows tracing, and which events can be sampled.
std::vector<Check> examine_tracing(device::Device& device, const device::DriverVersion& version) {
  std::vector<Check> checks{{.name = "device", .detail = "etw, Windows' own tracing", .fix = {}},
                            {.name = "windows", .detail = fmt::format("build {}", version.patch), .fix = {}}};
  for (Check& one : checks_of(device.checks())) checks.push_back(std::move(one));
  const auto driver = windows::driver_facts();  // on Windows
  if (driver.has_value() && !driver->service_installed) {
    checks.push_back({.name = "driver",
                      .detail = "wperf's own driver is not installed; it is needed for SPE, counters outside the "
                                "cores, exact groups and filters of user and kernel mode",
                      .fix = {}});
  }
  return checks;
}

// On Linux, the kernel replaces the driver. The checks show its abilities and the rights of this user.
std::vector<Check> examine_linux(device::Device& device, const linux_kernel::LinuxFacts& facts) {
  std::vector<Check> checks{{.name = "device", .detail = "linux, " + device.identity().instance_id, .fix = {}}};
  for (Check& check : linux_checks(facts)) checks.push_back(std::move(check));
  const auto machine = device.capabilities(device::Device::Spe::asked_for);
  if (!machine.has_value()) {
    checks.push_back(failure("hardware", machine.error()));
    return checks;
  }
  const plan::Capabilities& found = machine.value();
  if (found.midr != 0) {
    checks.push_back(check_cores(found));
  } else {
    checks.push_back(
        {.name = "cores", .detail = fmt::format("{} cores, {}", found.core_count, found.vendor), .fix = {}});
  }
  if (found.cycle_counters != 0) checks.push_back(check_counters(found));
  return checks;
}

using Opened = diag::Result<std::unique_ptr<device::Device>>;

std::vector<Check> examine(const request::Request& request, const Opened& opened) {
  if (opened.has_value()) {
    const auto version = opened.value()->driver_version();
    if (version.has_value() && version.value().name == "Windows")
      return examine_tracing(*opened.value(), version.value());
  }
  std::vector<Check> checks = check_system(opened.has_value());
  const bool knows_system = !checks.empty();
  if (!opened.has_value()) {
    checks.push_back(failure("device", opened.error()));
    if (knows_system) checks.back().fix = "see the checks above";
    return checks;
  }
  device::Device& device = *opened.value();
  const auto version = device.driver_version();
  if (version.has_value() && version.value().name == "linux") {
    if (const auto facts = linux_kernel::linux_facts()) return examine_linux(device, *facts);
  }
  checks.push_back({.name = "device", .detail = request.device + ", " + device.identity().instance_id, .fix = {}});
  checks.push_back(check_driver(device));
  if (!knows_system) checks.push_back(check_privileges(request.device));
  if (checks.back().status == CheckStatus::fail) return checks;
  if (auto check = check_interrupt(device)) checks.push_back(std::move(*check));
  if (auto taken = device.acquire(request.force_lock); !taken.has_value()) {
    checks.push_back(failure("lock", taken.error()));
    if (taken.error().hint.empty())
      checks.back().fix = "end the other wperf, or take the driver from it with --force-lock";
    return checks;
  }
  checks.push_back({.name = "lock", .detail = "free", .fix = {}});
  const auto machine = device.capabilities(device::Device::Spe::asked_for);
  if (!machine.has_value()) {
    checks.push_back(failure("hardware", machine.error()));
    return checks;
  }
  checks.push_back(check_cores(machine.value()));
  checks.push_back(check_pmu(device, machine.value()));
  checks.push_back(check_counters(machine.value()));
  checks.push_back(check_spe(machine.value()));
  checks.push_back(check_uncore({.name = "dsu", .what = "clusters with an L3 cache", .kind = "DSU"},
                                machine.value().cluster_count, machine.value().named_clusters != 0));
  checks.push_back(check_uncore({.name = "dmc", .what = "memory channels", .kind = "DMC-620 memory controller"},
                                machine.value().dmc_channels, machine.value().named_dmc_channels != 0));
  checks.push_back(check_symbols());
  return checks;
}

// Stops trace sessions that were left over. They belong to Windows, so the device does not matter.
std::vector<Check> mend(const request::Request& request, const Opened& opened) {
  const bool other = devices::devices_here().tracing && !request.device.starts_with("etw");
  const Opened tracing = other ? devices::open_device("etw") : Opened(diag::Error{});
  const Opened& mended = other ? tracing : opened;
  if (!mended.has_value()) return {failure("fix", mended.error())};
  std::vector<Check> checks = checks_of(mended.value()->mend());
  if (checks.empty()) checks.push_back({.name = "fix", .detail = "nothing was left behind", .fix = {}});
  return checks;
}

diag::Result<void> test_devices(const request::Request& request, diag::Console& console) {
  const answers::Selftest test = run_selftest(request, console);
  WPERF_CHECK_OK(output::show(
      request.outputs, console, [&] { return report::selftest_text(test); },
      [&] { return report::selftest_json(test); }));
  if (!has_failed(test)) return {};
  return diag::Error{.text = "the selftest failed",
                     .hint = "add the block above to a bug report, and describe this machine",
                     .code = diag::ExitCode::failed};
}

}  // namespace

diag::Result<void> run_doctor(const request::Request& request, diag::Console& console) {
  if (request.doctor.selftest) return test_devices(request, console);
  std::vector<Check> checks;
  const Opened opened = devices::open_device(request.device);
  if (request.doctor.fix) checks = mend(request, opened);
  for (Check& one : examine(request, opened)) checks.push_back(std::move(one));
  if (request.outputs.brief.has_value())
    output::deliver_brief(request.outputs, brief::of_checks(checks, {.all = "wperf doctor"}), console);
  WPERF_CHECK_OK(output::show(
      request.outputs, console, [&] { return report::doctor_text(checks); },
      [&] { return report::doctor_json(checks); }));
  const bool failed =
      std::any_of(checks.begin(), checks.end(), [](const Check& check) { return check.status == CheckStatus::fail; });
  if (failed) {
    return diag::Error{.text = "this machine cannot measure in its current state",
                       .hint = "see the failed checks above",
                       .code = diag::ExitCode::no_device};
  }
  return {};
}

}  // namespace wperf::doctor
