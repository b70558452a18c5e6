// SPDX-License-Identifier: BSD-3-Clause
#include "app/doctor/selftest.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "analysis/recording/recorded_samples.h"
#include "app/doctor/doctor.h"
#include "app/doctor/selftest_judgement.h"
#include "app/measure/measure_counts.h"
#include "app/measure/opened_machine.h"
#include "app/measure/recording_run.h"
#include "app/measure/tool.h"
#include "app/measure/warnings_only_console.h"
#include "ground/os/files.h"
#include "ground/os/machine_facts.h"
#include "ground/os/process.h"
#include "ground/text/parts.h"
#include "machine/devices/devices.h"
#include "machine/linux_kernel/linux_device.h"

namespace wperf::doctor {
namespace {

using answers::Finding;
using answers::Outcome;

constexpr u64 kSamplingMs = 1000, kMostCountingMs = 20'000;
constexpr u32 kSamplesPerSecond = 1000;
// About half a second of work on a real machine, and on the simulated one.
constexpr u64 kRounds = 500'000'000, kSimulatedRounds = 5'000'000;
constexpr u64 kInstructionsOfRound = 2;
constexpr const char* kLong = "long";  // an argument that makes the program run for half a minute

// A device that lacks an ability is not a failure; the error then has the code of a missing device.
Finding of_error(std::string check, const diag::Error& error) {
  std::string text = error.text.substr(0, error.text.find('\n'));
  if (!error.hint.empty()) text += " (" + error.hint + ")";
  const bool cannot = error.code == diag::ExitCode::no_device;
  return {.check = std::move(check),
          .outcome = cannot ? Outcome::not_possible : Outcome::failed,
          .detail = std::move(text)};
}

// Tests one device with a program.
class DeviceTest {
 public:
  DeviceTest(const request::Request& asked, std::string device, diag::Console& console)
      : asked_(asked), device_(std::move(device)), listener_(console) {
    simulated_ = device_.starts_with("sim") || device_.find(":fake") != std::string::npos;
  }

  answers::TestedDevice run() {
    if (open()) {
      test_counts();
      test_samples();
      if (const auto& lines = listener_.lines(); !lines.empty()) {
        add({.check = "warnings", .outcome = Outcome::ok, .detail = text::joined(lines, "; ")});
      }
    }
    return {.name = device_, .findings = std::move(findings_)};
  }

 private:
  void add(Finding finding) { findings_.push_back(std::move(finding)); }
  void add(std::vector<Finding> findings) {
    for (Finding& one : findings) add(std::move(one));
  }
  bool open();
  void add_rights(const device::DriverVersion& version);
  bool is_of_kernel() const { return machine_.capabilities.kernel != nullptr; }
  bool has_filters() const { return !is_of_kernel() || !machine_.capabilities.kernel->is_windows(); }
  request::Request request_for(request::Command command, const std::string& argument) const;
  std::string instructions() const;
  diag::Result<u64> count(bool kernel);
  void test_counts();
  diag::Result<stacks::StackProfile> sample(bool kernel);
  void test_samples();

  const request::Request& asked_;
  std::string device_;
  bool simulated_ = false;
  measure::KeptWarnings listener_;
  measure::OpenedMachine machine_;
  std::string program_;
  std::vector<Finding> findings_;
};

bool DeviceTest::open() {
  request::Request request = request_for(request::Command::doctor, {});
  auto opened = measure::open_machine(request, listener_);
  if (!opened.has_value()) {
    Finding finding = of_error("opened", opened.error());
    finding.outcome = Outcome::failed;
    add(std::move(finding));
    return false;
  }
  machine_ = std::move(opened).value();
  const auto version = machine_.device->driver_version();
  const bool is_linux = version.has_value() && version.value().name == "linux";
  const plan::Capabilities& machine = machine_.capabilities;
  if (version.has_value()) {
    const device::DriverVersion& driver = version.value();
    add({.check = "opened",
         .outcome = Outcome::ok,
         .detail = fmt::format("{} {}{}{}, {} cores{}", driver.name,
                               is_linux ? machine_.device->identity().instance_id : measure::number_text(driver),
                               driver.git.empty() ? "" : " " + driver.git,
                               driver.features.empty() ? "" : " " + driver.features, machine.core_count,
                               machine.midr != 0 ? fmt::format(" (MIDR {:#x})", machine.midr) : "")});
    add_rights(driver);
  }
  program_ = os::companion_file(os::program_folder(), std::string(kSelftestProgram) + (is_linux ? "" : ".exe"));
  if (os::file_exists(program_)) return true;
  add({.check = "program",
       .outcome = Outcome::not_possible,
       .detail = program_ + ", the program to measure, is missing: nothing else can be checked"});
  return false;
}

void DeviceTest::add_rights(const device::DriverVersion& version) {
  for (const device::DeviceCheck& one : machine_.device->checks()) {
    if (one.name != "rights" && one.name != "privilege") continue;
    add({.check = one.name, .outcome = one.is_good ? Outcome::ok : Outcome::failed, .detail = one.detail});
  }
  if (version.name == "Windows") return;
  const auto facts = version.name == "linux" ? linux_kernel::linux_facts() : std::nullopt;
  if (!facts.has_value())
    return add({.check = "rights", .outcome = Outcome::ok, .detail = "the driver accepts this user"});
  for (const answers::Check& one : linux_checks(*facts)) {
    if (one.name != "rights") continue;
    add({.check = one.name,
         .outcome = one.status == answers::CheckStatus::fail ? Outcome::failed : Outcome::ok,
         .detail = one.detail});
  }
}

request::Request DeviceTest::request_for(request::Command command, const std::string& argument) const {
  request::Request request;
  request.command = command;
  request.device = device_;
  request.force_lock = asked_.force_lock;
  request.outputs.quiet = true;
  if (program_.empty()) return request;
  std::vector<std::string> words{program_};
  if (!argument.empty()) words.push_back(argument);
  request.program =
      request::Program{.path = program_, .command_line = os::join_command_line(words), .after_dashes = true};
  request.pe_file = program_;
  return request;
}

// The name of the instruction event on this device: from wperf's catalogue, or from the kernel.
std::string DeviceTest::instructions() const {
  const plan::KernelEvents* kernel = machine_.capabilities.kernel.get();
  if (kernel == nullptr || kernel->counts_catalogue()) return "inst_retired";
  for (const char* word : {"instructions", "instructionretired"}) {
    const auto found = kernel->find(word);
    if (found.has_value() && found.value().has_value()) return word;
  }
  return {};
}

diag::Result<u64> DeviceTest::count(bool kernel) {
  const u64 rounds = simulated_ ? kSimulatedRounds : kRounds;
  request::Request request = request_for(request::Command::stat, std::to_string(rounds));
  request.kernel = kernel;
  request.timeout = request::Duration{kMostCountingMs};
  request::EventList list;
  list.tokens.push_back({.text = instructions(), .number = {}, .group = {}});
  request.items.emplace_back(std::move(list));
  WPERF_TRY(plan::CountPlan plan, measure::plan_counts(request, machine_));
  measure::SpawnedProgram program(machine_.device->programs());
  WPERF_CHECK_OK(measure::start_program({.wanted = request}, plan, machine_, program, listener_));
  WPERF_TRY(const measure::MeasuredCount counted,
            measure::measure_count({.wanted = request}, plan, machine_, program, listener_));
  if (counted.error.has_value()) return *counted.error;
  const std::string name = instructions();
  u64 value = 0;
  bool found = false;
  for (const answers::CountUnit& unit : counted.profile.classes[index_of(EventClass::core)].units) {
    for (const answers::CountRow& row : unit.rows) {
      if (!row.name.starts_with(name) || !row.counted()) continue;
      value += row.scaled;
      found = true;
    }
  }
  if (!found) return diag::Error{.text = name + " was not counted at all", .hint = {}, .code = diag::ExitCode::failed};
  return value;
}

void DeviceTest::test_counts() {
  const plan::KernelEvents* kernel = machine_.capabilities.kernel.get();
  if (kernel != nullptr && (!kernel->has_counters() || instructions().empty())) {
    const std::string why = kernel->why_no_cycles();
    return add({.check = "counts",
                .outcome = Outcome::not_possible,
                .detail = !why.empty() ? why : "this system has no instruction counter"});
  }
  const auto user = count(false);
  if (!user.has_value()) return add(of_error("counts", user.error()));
  CountedWork work{.known = (simulated_ ? kSimulatedRounds : kRounds) * kInstructionsOfRound,
                   .counted = user.value(),
                   .own_program_only = is_of_kernel(),
                   .with_kernel = {},
                   .why_no_filter = {}};
  if (has_filters()) {
    const auto both = count(true);
    if (!both.has_value()) {
      work.why_no_filter = of_error({}, both.error()).detail;
    } else {
      work.with_kernel = both.value();
    }
  } else {
    work.why_no_filter = "Windows' own tracing always counts both modes";
  }
  add(judge_counts(work));
}

diag::Result<stacks::StackProfile> DeviceTest::sample(bool kernel) {
  request::Request request = request_for(request::Command::record, kLong);
  request.kernel = kernel;
  request.timeout = request::Duration{kSamplingMs};
  request.sampling.rate_hz = kSamplesPerSecond;
  const plan::Capabilities& machine = machine_.capabilities;
  if (machine.call_stacks && machine.foreign_driver.empty()) request.sampling.call_stacks = request::automatic_stacks();
  WPERF_TRY(measure::Recording recording, measure::record_samples({.wanted = request}, machine_, listener_));
  if (recording.error.has_value()) return *recording.error;
  if (!recording.trace.empty()) WPERF_CHECK_OK(measure::read_trace(recording));
  stacks::StackProfile profile = recording::read_recorded_samples(recording.file, {.callers = true}).profile;
  profile.trace = recording.trace_losses;
  return profile;
}

void DeviceTest::test_samples() {
  const plan::Capabilities& machine = machine_.capabilities;
  const auto user = sample(false);
  if (!user.has_value()) return add(of_error("samples", user.error()));
  SampledWork work{.user = user.value(), .why_no_filter = {}, .why_no_stacks = {}};
  if (!machine.foreign_driver.empty()) work.why_no_stacks = machine.foreign_driver + " cannot record call stacks";
  if (work.why_no_stacks.empty() && !machine.call_stacks)
    work.why_no_stacks = "the driver cannot record call stacks on this Windows";
  std::optional<stacks::StackProfile> both;
  if (has_filters()) {
    auto taken = sample(true);
    if (!taken.has_value()) {
      work.why_no_filter = of_error({}, taken.error()).detail;
    } else {
      both = std::move(taken).value();
    }
    work.with_kernel = both.has_value() ? &*both : nullptr;
  } else {
    work.why_no_filter = "Windows' own tracing always samples both modes";
  }
  add(judge_samples(work));
}

std::vector<std::pair<std::string, std::string>> facts_of_system() {
  const answers::Component tool = measure::tool_component();
  std::vector<std::pair<std::string, std::string>> facts{
      {"wperf", fmt::format("{} ({}{})", tool.version, tool.git, tool.features)}};
  if (const auto windows = os::windows_facts(); windows.has_value()) {
    facts.emplace_back("system", fmt::format("Windows {} on {}, {}", windows->version, windows->machine,
                                             windows->model.empty() ? "a computer without a name" : windows->model));
    facts.emplace_back("program", windows->program);
  } else if (const auto own = linux_kernel::linux_facts(); own.has_value()) {
    facts.emplace_back("system", "Linux " + own->release);
  }
  return facts;
}

std::vector<std::string> names_of(const devices::DevicesHere& here) {
  std::vector<std::string> names;
  if (here.tracing) names.emplace_back("etw");
  if (here.driver) names.emplace_back("driver");
  if (here.windowsperf) names.emplace_back("windowsperf");
  if (here.linux_kernel) names.emplace_back("linux");
  return names;
}

}  // namespace

answers::Selftest run_selftest(const request::Request& request, diag::Console& console) {
  answers::Selftest test{.facts = facts_of_system(), .devices = {}};
  const std::vector<std::string> devices =
      request.device.empty() ? names_of(devices::devices_here()) : std::vector<std::string>{request.device};
  for (const std::string& device : devices) {
    if (console.interrupted()) break;
    test.devices.push_back(DeviceTest(request, device, console).run());
  }
  return test;
}

bool has_failed(const answers::Selftest& test) {
  for (const answers::TestedDevice& device : test.devices) {
    for (const Finding& one : device.findings) {
      if (one.outcome == Outcome::failed) return true;
    }
  }
  return false;
}

}  // namespace wperf::doctor
