// SPDX-License-Identifier: BSD-3-Clause
#include "app/doctor/selftest.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "analysis/recording/recorded_samples.h"
#include "app/doctor/doctor.h"
#include "app/measure/measure_counts.h"
#include "app/measure/opened_machine.h"
#include "app/measure/recording_run.h"
#include "app/measure/tool.h"
#include "ground/os/files.h"
#include "ground/os/machine_facts.h"
#include "ground/os/process.h"
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
constexpr const char* kLong = "long";  // this word as an argument means half a minute

// Hides the measurement's output; warnings become part of the findings.
class Listener final : public diag::Console {
 public:
  explicit Listener(diag::Console& console) : console_(console) {}
  void out(std::string_view) override {}
  void document(std::string_view) override {}
  void warn(std::string_view line) override { said_ += (said_.empty() ? "" : "; ") + std::string(line); }
  bool animated() const override { return false; }
  bool interrupted() const override { return console_.interrupted(); }
  const std::string& said() const { return said_; }

 private:
  diag::Console& console_;
  std::string said_;
};

// If a device cannot do something, that is not a failure; its error has the code of a missing device.
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
      if (!listener_.said().empty()) add({.check = "warnings", .outcome = Outcome::ok, .detail = listener_.said()});
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
  Listener listener_;
  measure::Machine machine_;
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

// The device's name for the event: in wperf's catalogue, or the kernel's.
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
  if (counted.trouble.has_value()) return *counted.trouble;
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
  if (recording.trouble.has_value()) return *recording.trouble;
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

using answers::Finding;
using answers::Outcome;

constexpr u64 kLeastSamples = 50;
// Counts of a whole core include everything else that runs there; counts of a program include its start.
constexpr double kMostOfCore = 1.25, kMostOfProgram = 1.05;

struct Share {
  std::string_view name;
  double part;
};
constexpr Share kLeaves[] = {{"leaf_a", 0.2}, {"leaf_b", 0.6}, {"leaf_c", 0.2}};

// How much a share may deviate by chance: four standard deviations, plus two points for the program's other work.
double tolerance(double part, double samples) {
  return 0.02 + 4 * std::sqrt(part * (1 - part) / std::max(samples, 1.0));
}

class Tally {
 public:
  explicit Tally(const stacks::StackProfile& profile) : profile_(profile) {
    for (const stacks::StackSample& sample : profile.samples) add(sample);
  }

  u64 samples = 0, in_kernel = 0, in_program = 0, named = 0;
  u64 of_leaf[std::size(kLeaves)] = {};
  u64 through_middle = 0, through_outer = 0;  // samples of leaf_b by path
  std::string why_nameless;

 private:
  const stacks::StackFunction* function_of(u32 node) const {
    if (node == stacks::kNothing || profile_.nodes[node].place == stacks::kNothing) return nullptr;
    return &profile_.functions[profile_.places[profile_.nodes[node].place].function];
  }
  bool is_called_by(u32 node, std::string_view name) const {
    const stacks::StackFunction* function = function_of(node);
    return function != nullptr && function->name == name;
  }
  void add(const stacks::StackSample& sample) {
    samples += sample.count;
    const stacks::StackFunction* function = function_of(sample.node);
    if (function == nullptr) return;
    if (function->is_kernel) in_kernel += sample.count;
    const stacks::StackModule& module = profile_.modules[function->module];
    if (function->is_kernel || !module.name.starts_with(kSelftestProgram)) return;
    in_program += sample.count;
    if (!function->is_known) {
      why_nameless = module.reason;
      return;
    }
    named += sample.count;
    for (usize i = 0; i < std::size(kLeaves); ++i) {
      if (function->name == kLeaves[i].name) of_leaf[i] += sample.count;
    }
    if (function->name != "leaf_b") return;
    const u32 caller = profile_.nodes[sample.node].parent;
    if (!is_called_by(caller, "middle")) return;
    through_middle += sample.count;
    if (is_called_by(profile_.nodes[caller].parent, "outer")) through_outer += sample.count;
  }

  const stacks::StackProfile& profile_;
};

std::string percent(double part) {
  return fmt::format("{:.1f} %", 100 * part);
}
double ratio(u64 part, u64 all) {
  return all != 0 ? static_cast<double>(part) / static_cast<double>(all) : 0;
}

Finding judge_shares(const Tally& tally) {
  Finding finding{.check = "shares", .outcome = Outcome::ok, .detail = {}};
  for (usize i = 0; i < std::size(kLeaves); ++i) {
    const double part = ratio(tally.of_leaf[i], tally.in_program);
    if (std::abs(part - kLeaves[i].part) > tolerance(kLeaves[i].part, static_cast<double>(tally.in_program))) {
      finding.outcome = Outcome::failed;
    }
    finding.detail +=
        fmt::format("{}{} {} of {}", i == 0 ? "" : ", ", kLeaves[i].name, percent(part), percent(kLeaves[i].part));
  }
  return finding;
}

Finding judge_stacks(const Tally& tally) {
  const u64 all = tally.of_leaf[1];
  const double middle = ratio(tally.through_middle, all), outer = ratio(tally.through_outer, all);
  constexpr double kNearlyAll = 0.95, kHalf = 0.5;
  const bool good = middle >= kNearlyAll && std::abs(outer - kHalf) <= tolerance(kHalf, static_cast<double>(all));
  return {.check = "stacks",
          .outcome = good ? Outcome::ok : Outcome::failed,
          .detail = fmt::format(
              "leaf_b was called by middle in {} (expected 100.0 %), which outer called in {} (expected 50.0 %)",
              percent(middle), percent(outer))};
}

Finding judge_losses(const stacks::StackProfile& profile) {
  const stacks::StackLosses& losses = profile.losses;
  u64 lost = losses.lost_records + losses.lost_samples + losses.damaged_records + losses.damaged_places;
  std::string detail = fmt::format("{} samples lost", lost);
  if (profile.trace.has_value()) {
    const stacks::TraceFacts& trace = *profile.trace;
    const u64 buffers = trace.buffers_lost + trace.missing_buffers + trace.cut_buffers + trace.damaged_buffers;
    detail = fmt::format("{} events and {} buffers lost", trace.events_lost, buffers);
    lost += trace.events_lost + buffers;
  }
  if (losses.held_back != 0) detail += fmt::format(", {} held back", losses.held_back);
  if (losses.throttled != 0) detail += fmt::format(", {} times throttled", losses.throttled);
  return {.check = "losses", .outcome = lost == 0 ? Outcome::ok : Outcome::failed, .detail = std::move(detail)};
}

// Checks both: excluded parts must be missing, and requested parts must be there.
Finding judge_filter(const SampledWork& work, const Tally& user) {
  Finding finding{.check = "user and kernel samples", .outcome = Outcome::not_possible, .detail = work.why_no_filter};
  if (!work.why_no_filter.empty()) return finding;
  finding.outcome = user.in_kernel == 0 ? Outcome::ok : Outcome::failed;
  finding.detail = fmt::format("user mode only: {} of {} in the kernel", user.in_kernel, user.samples);
  if (work.with_kernel == nullptr) return finding;
  const Tally both(*work.with_kernel);
  finding.detail += fmt::format("; with the kernel: {} of {}", both.in_kernel, both.samples);
  if (both.in_kernel == 0) finding.detail += ", which does not show whether -k works";
  return finding;
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

std::vector<Finding> judge_counts(const CountedWork& work) {
  const double most = static_cast<double>(work.known) * (work.own_program_only ? kMostOfProgram : kMostOfCore);
  const bool good = work.counted >= work.known && static_cast<double>(work.counted) <= most;
  std::vector<Finding> findings{
      {.check = "counts",
       .outcome = good ? Outcome::ok : Outcome::failed,
       .detail = fmt::format("{} instructions{}, the loop has {}{}", work.counted,
                             work.with_kernel.has_value() ? " in user mode" : "", work.known,
                             work.own_program_only ? "" : "; everything else that ran on the core is included")}};
  Finding filter{.check = "user and kernel counts", .outcome = Outcome::not_possible, .detail = work.why_no_filter};
  if (work.with_kernel.has_value()) {
    const u64 both = *work.with_kernel;
    filter.outcome = both > work.counted ? Outcome::ok : both == work.counted ? Outcome::not_possible : Outcome::failed;
    filter.detail = fmt::format("{} with the kernel, {} without{}", both, work.counted,
                                both == work.counted ? ": this does not show whether the kernel did anything" : "");
  }
  findings.push_back(std::move(filter));
  return findings;
}

std::vector<Finding> judge_samples(const SampledWork& work) {
  const Tally tally(work.user);
  const bool enough = tally.in_program >= kLeastSamples;
  std::vector<Finding> findings{{.check = "samples",
                                 .outcome = enough ? Outcome::ok : Outcome::failed,
                                 .detail = fmt::format("{} in {:.2f} s, {} of them in {}", tally.samples,
                                                       work.user.elapsed_seconds, tally.in_program, kSelftestProgram)}};
  const bool named = tally.named != 0;
  std::string names = fmt::format("{} of {} samples there have function names", tally.named, tally.in_program);
  if (!tally.why_nameless.empty()) names += ": " + tally.why_nameless;
  findings.push_back({.check = "names",
                      .outcome = !enough                                                   ? Outcome::not_possible
                                 : tally.named >= tally.in_program - tally.in_program / 20 ? Outcome::ok
                                                                                           : Outcome::failed,
                      .detail = std::move(names)});
  constexpr std::string_view kNothingNamed = "no sample with a function name";
  if (named && enough) {
    findings.push_back(judge_shares(tally));
  } else {
    findings.push_back({.check = "shares", .outcome = Outcome::not_possible, .detail = std::string(kNothingNamed)});
  }
  if (!work.why_no_stacks.empty() || !named || !enough) {
    findings.push_back({.check = "stacks",
                        .outcome = Outcome::not_possible,
                        .detail = !work.why_no_stacks.empty() ? work.why_no_stacks : std::string(kNothingNamed)});
  } else {
    findings.push_back(judge_stacks(tally));
  }
  findings.push_back(judge_filter(work, tally));
  findings.push_back(judge_losses(work.user));
  return findings;
}

}  // namespace wperf::doctor
