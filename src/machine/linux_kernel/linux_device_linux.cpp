// SPDX-License-Identifier: BSD-3-Clause
// The Linux kernel that wperf runs on, as a device: its facts, and the sessions. No lock is needed, because the kernel
// shares its counters among all users.
#include <fmt/format.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstring>

#include "base/event_class.h"
#include "ground/os/process.h"
#include "machine/linux_kernel/linux_device.h"
#include "machine/linux_kernel/linux_sessions_linux.h"
#include "machine/perf_events/counter_linux.h"
#include "machine/perf_events/event_words.h"
#include "machine/perf_events/units.h"

namespace wperf::linux_kernel {
namespace {

using perf_events::SystemFiles;

std::optional<int> setting(const SystemFiles& files, const std::string& name) {
  const auto text = files.text("/proc/sys/kernel/" + name);
  if (!text.has_value()) return std::nullopt;
  int value = 0;
  if (std::from_chars(text->data(), text->data() + text->size(), value).ec != std::errc{}) return std::nullopt;
  return value;
}

bool may_measure(const plan::KernelEvent& event, bool kernel, perf_events::Scope scope) {
  perf_event_attr attributes = perf_events::attributes_of(event, kernel);
  return perf_events::open_event(attributes, scope).is_open();
}

void try_rights(const SystemFiles& files, LinuxFacts& facts) {
  plan::KernelEvent clock;
  clock.type = PERF_TYPE_SOFTWARE;
  clock.config = PERF_COUNT_SW_CPU_CLOCK;
  const std::vector<u32> cores = perf_events::online_cores(files);
  const perf_events::Scope self{.thread = 0, .core = -1};
  const perf_events::Scope core{.thread = -1, .core = cores.empty() ? 0 : static_cast<int>(cores.front())};
  facts.own_programs = may_measure(clock, false, self);
  facts.own_kernel = may_measure(clock, true, self);
  facts.whole_cores = may_measure(clock, true, core);
  const auto id = files.number(perf_events::tracefs_folder(files) + "/events/sched/sched_switch/id");
  if (!id.has_value()) return;
  plan::KernelEvent switches;
  switches.type = PERF_TYPE_TRACEPOINT;
  switches.config = *id;
  perf_event_attr attributes = perf_events::attributes_of(switches, true);
  attributes.sample_type = PERF_SAMPLE_RAW;  // some users cannot read these fields
  attributes.sample_period = 1;
  facts.scheduler = perf_events::open_event(attributes, core).is_open();
}

// Programs a counter and lets it count, because a machine may list counters that never count.
void try_counter(LinuxFacts& facts) {
  plan::KernelEvent cycles;
  cycles.type = PERF_TYPE_HARDWARE;
  cycles.config = PERF_COUNT_HW_CPU_CYCLES;
  perf_event_attr attributes = perf_events::attributes_of(cycles, false);
  attributes.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
  attributes.disabled = 0;
  const perf_events::Descriptor event = perf_events::open_event(attributes, {.thread = 0, .core = -1});
  if (!event.is_open()) {
    const bool is_missing = errno == ENOENT || errno == ENODEV || errno == EOPNOTSUPP;
    facts.counter_error = is_missing ? "the kernel offers none on this machine" : std::strerror(errno);
    return;
  }
  volatile u32 busy = 0;
  for (u32 turn = 0; turn < 1'000'000; ++turn) busy = turn;
  static_cast<void>(busy);
  const auto reading = perf_events::read_event(event);
  if (reading.has_value()) facts.cycles = reading.value().value;
  if (facts.cycles == 0) facts.counter_error = "it counted nothing in a busy loop";
}

// The list is long, but its first line is enough: hidden addresses are zero.
bool kernel_names_are_shown() {
  std::FILE* file = std::fopen("/proc/kallsyms", "rbe");
  if (file == nullptr) return false;
  char line[256] = {};
  bool shown = false;
  for (int i = 0; i < 16 && !shown && std::fgets(line, sizeof line, file) != nullptr; ++i) {
    shown = std::strspn(line, "0") < 8;
  }
  std::fclose(file);
  return shown;
}

}  // namespace

bool mount_tracefs() {
  const auto is_there = [] {
    const perf_events::SystemFiles files;
    return !files.names(perf_events::tracefs_folder(files) + "/events").empty();
  };
  if (is_there()) return true;
  if (geteuid() != 0 || mount("nodev", "/sys/kernel/tracing", "tracefs", 0, nullptr) != 0) return false;
  return is_there();
}

std::optional<LinuxFacts> linux_facts() {
  const SystemFiles files;
  LinuxFacts facts;
  utsname name{};
  if (uname(&name) == 0) facts.release = name.release;
  facts.paranoid = setting(files, "perf_event_paranoid");
  facts.kptr_restrict = setting(files, "kptr_restrict");
  facts.most_samples = files.number("/proc/sys/kernel/perf_event_max_sample_rate");
  facts.is_root = geteuid() == 0;
  if (facts.paranoid.has_value()) {
    try_rights(files, facts);
    try_counter(facts);
  }
  for (const perf_events::Unit& unit : perf_events::find_units(files)) {
    (unit.of_cores() ? facts.core_units : facts.other_units).push_back(unit.name);
  }
  facts.tracefs = perf_events::tracefs_folder(files);
  if (files.names(facts.tracefs + "/events").empty()) facts.tracefs.clear();
  facts.tracefs_mount = perf_events::tracefs_mount(files);
  facts.kernel_names = kernel_names_are_shown();
  facts.debug_files = files.exists("/usr/lib/debug/.build-id");
  facts.debug_servers = !os::environment("DEBUGINFOD_URLS").value_or("").empty();
  return facts;
}

namespace {

using perf_events::Descriptor;
using perf_events::Scope;
using perf_events::SystemFiles;

constexpr u32 kMostCounters = 32;

perf_event_attr trial_attributes(u64 config) {
  plan::KernelEvent event;
  event.type = PERF_TYPE_HARDWARE;
  event.config = config;
  perf_event_attr attributes = perf_events::attributes_of(event, false);
  attributes.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
  return attributes;
}

struct NoCounters {
  std::string reason, way_out;
};
NoCounters why_no_counters(int error) {
  if (error == EACCES || error == EPERM) {
    return {.reason = fmt::format("this user may not use them (kernel.perf_event_paranoid is {})",
                                  SystemFiles().text("/proc/sys/kernel/perf_event_paranoid").value_or("unknown")),
            .way_out =
                "run wperf as root or with the capability CAP_PERFMON, or lower the setting (sysctl "
                "kernel.perf_event_paranoid=2)"};
  }
  if (error == EBUSY) return {.reason = "another program uses the cycle counter", .way_out = "end the other profiler"};
  return {.reason = "this system has no hardware counters (usual in virtual machines)",
          .way_out =
              "in a virtual machine the host must pass them through; software events such as cpu-clock, page-faults "
              "and context-switches work without them (`wperf list`, `wperf doctor`)"};
}

// "6.1.0-18-amd64"
void read_release(device::DriverVersion& version) {
  utsname name{};
  if (uname(&name) != 0) return;
  version.features = name.release;
  const char* at = name.release;
  const char* end = at + std::char_traits<char>::length(at);
  for (u32* number : {&version.major, &version.minor, &version.patch}) {
    const auto read = std::from_chars(at, end, *number);
    if (read.ec != std::errc{} || read.ptr == end) return;
    at = read.ptr + 1;
  }
}

// The processor's name for its vendor, for cores without a MIDR.
std::string vendor_of_processor() {
  const std::string text = SystemFiles().text("/proc/cpuinfo").value_or("");
  const usize row = text.find("vendor_id");
  const usize begin = row == std::string::npos ? row : text.find(": ", row);
  if (begin == std::string::npos) return "unknown";
  return text.substr(begin + 2, text.find('\n', begin) - begin - 2);
}

class LinuxDevice final : public device::Device {
 public:
  diag::Result<void> acquire(bool) override { return {}; }

  diag::Result<device::DriverVersion> driver_version() override {
    device::DriverVersion version{
        .wire_version = device::spoken_wire_version(), .compatible = true, .git = {}, .features = {}};
    version.name = "linux";
    read_release(version);
    return version;
  }

  diag::Result<plan::Capabilities> capabilities(Spe spe) override;
  diag::Result<std::unique_ptr<device::CountSession>> open_count(const plan::CountPlan& plan) override {
    WPERF_CHECK_OK(examine());
    return open_linux_count(programs_, machine_, plan);
  }
  diag::Result<std::unique_ptr<device::RecordingSession>> open_recording(
      const plan::SamplePlan& plan, const device::RecordingTarget& target) override {
    WPERF_CHECK_OK(examine());
    return open_linux_recording(programs_, machine_, plan, target);
  }
  diag::Result<std::unique_ptr<device::SpeSession>> open_spe(const plan::SpePlan& plan) override {
    WPERF_CHECK_OK(examine());
    return open_linux_spe(programs_, machine_, plan);
  }
  device::Programs& programs() override { return programs_; }
  device::DeviceIdentity identity() override { return {.instance_id = "perf_event_open", .hardware_ids = "linux"}; }

 private:
  diag::Result<void> examine();

  bool examined_ = false;
  int counter_error_ = 0;
  LinuxMachine machine_;
  LinuxPrograms programs_;
};

diag::Result<void> LinuxDevice::examine() {
  if (examined_) return {};
  examined_ = true;
  const SystemFiles files;
  machine_.cores = perf_events::online_cores(files);
  if (machine_.cores.empty()) {
    return diag::Error{.text = "cannot list the cores of this machine; is /sys mounted?",
                       .hint = {},
                       .code = diag::ExitCode::no_device};
  }
  machine_.units = perf_events::find_units(files);
  perf_event_attr attributes = trial_attributes(PERF_COUNT_HW_CPU_CYCLES);
  const Descriptor cycles = perf_events::open_event(attributes, {.thread = 0, .core = -1});
  machine_.has_counters = cycles.is_open();
  if (!cycles.is_open()) counter_error_ = errno;
  if (counter_error_ == ENOSYS) {
    return diag::Error{.text = "this kernel has no perf events",
                       .hint = "it was built without CONFIG_PERF_EVENTS, or a sandbox forbids them",
                       .code = diag::ExitCode::no_device};
  }
  return {};
}

// The kernel has already read the facts about SPE.
diag::Result<plan::Capabilities> LinuxDevice::capabilities(Spe) {
  WPERF_CHECK_OK(examine());
  const SystemFiles files;
  plan::Capabilities machine;
  // Offline cores keep their numbers; an event cannot be opened on them.
  machine.core_count = machine_.cores.back() + 1;
  for (u32 core = 0; core < machine.core_count; ++core) machine.core_midr.push_back(perf_events::midr_of(files, core));
  machine.midr = machine.core_midr[machine_.cores.front()];
  if (machine.midr == 0) machine.vendor = vendor_of_processor();
  const u32 counters = machine_.has_counters ? perf_events::greatest_group(kMostCounters) : 0;
  machine.counters_total[index_of(EventClass::core)] = counters;
  machine.counters_free[index_of(EventClass::core)] = counters;
  machine.cycle_counters = machine_.has_counters ? 1 : 0;
  machine.counter_map.fill(0xff);
  const auto spe = perf_events::spe_identity(files, perf_events::spe_units(machine_.units));
  machine.id_aa64dfr0 = spe.id_aa64dfr0;
  machine.pmsidr = spe.pmsidr;
  machine.device_id = "perf_event_open";
  perf_events::CounterFacts facts{
      .has_counters = machine_.has_counters, .why_no_cycles = {}, .way_out = {}, .counts_catalogue = machine.midr != 0};
  if (!machine_.has_counters) {
    NoCounters why = why_no_counters(counter_error_);
    facts.why_no_cycles = std::move(why.reason);
    facts.way_out = std::move(why.way_out);
  }
  machine.kernel = std::make_shared<perf_events::EventWords>(files, facts);
  machine.shows_python = true;
  return machine;
}

}  // namespace

diag::Result<std::unique_ptr<device::Device>> open_linux_device() {
  return std::unique_ptr<device::Device>(std::make_unique<LinuxDevice>());
}

}  // namespace wperf::linux_kernel
