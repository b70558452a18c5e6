// SPDX-License-Identifier: BSD-3-Clause
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstring>

#include "ground/os/process.h"
#include "machine/linux_kernel/linux_facts.h"
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
  attributes.sample_type = PERF_SAMPLE_RAW;  // some users may not see these fields
  attributes.sample_period = 1;
  facts.scheduler = perf_events::open_event(attributes, core).is_open();
}

// Programs a counter and lets it count: a machine may list counters that never move.
void try_counter(LinuxFacts& facts) {
  plan::KernelEvent cycles;
  cycles.type = PERF_TYPE_HARDWARE;
  cycles.config = PERF_COUNT_HW_CPU_CYCLES;
  perf_event_attr attributes = perf_events::attributes_of(cycles, false);
  attributes.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
  attributes.disabled = 0;
  const perf_events::Descriptor event = perf_events::open_event(attributes, {.thread = 0, .core = -1});
  if (!event.is_open()) {
    facts.counter_trouble = std::strerror(errno);
    return;
  }
  volatile u32 busy = 0;
  for (u32 turn = 0; turn < 1'000'000; ++turn) busy = turn;
  static_cast<void>(busy);
  const auto reading = perf_events::read_event(event);
  if (reading.has_value()) facts.cycles = reading.value().value;
  if (facts.cycles == 0) facts.counter_trouble = "it counted nothing in a busy loop";
}

// The list is long, but its first line suffices: hidden addresses are zero.
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

}  // namespace wperf::linux_kernel
