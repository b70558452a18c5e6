// SPDX-License-Identifier: BSD-3-Clause
// Counts with perf events: opens one event for each entry of the plan and each core or thread.
#include <sys/ioctl.h>

#include <algorithm>
#include <cerrno>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "base/event_class.h"
#include "machine/linux_kernel/linux_sessions_linux.h"

namespace wperf::linux_kernel {
namespace {

using perf_events::Descriptor;
using perf_events::Scope;

constexpr u32 kTypeRaw = PERF_TYPE_RAW;

// An entry of the schedule on one core or thread.
struct OpenCount {
  usize unit = 0;                // index into the capture
  std::optional<usize> entry;    // nullopt for the cycles that every unit has
  bool leads = false;            // leads its group or is single: this event is enabled and disabled
  bool has_enabled_time = true;  // if an entry has several events, one for each kind of core, only the first one
                                 // reports the enabled time
  Descriptor event;
};

class LinuxCountSession final : public device::CountSession {
 public:
  LinuxCountSession(LinuxPrograms& programs, const LinuxMachine& machine, const plan::CountPlan& plan,
                    perf_events::OpenEvent opener)
      : programs_(programs), machine_(machine), plan_(plan), open_event_(opener) {}

  diag::Result<void> open();

  diag::Result<void> start() override {
    start_ns_ = programs_.now_ns();
    if (!starts_with_program_) switch_all(PERF_EVENT_IOC_ENABLE);
    return {};
  }
  diag::Result<void> check() override { return {}; }
  diag::Result<void> stop() override {
    switch_all(PERF_EVENT_IOC_DISABLE);
    end_ns_ = programs_.now_ns();
    return {};
  }
  diag::Result<readings::CountCapture> read() override;
  std::vector<std::string> remarks() const override;

 private:
  const plan::Schedule& schedule() const { return plan_.schedules[index_of(EventClass::core)]; }
  diag::Result<void> open_units();
  diag::Result<void> open_unit(usize unit, Scope scope, u32 core, bool may_vanish);
  diag::Result<void> open_entry(usize unit, usize number, Scope scope, u32 core, std::map<u32, int>& leaders);
  std::vector<plan::KernelEvent> events_of(const plan::Entry& entry, Scope scope, u32 core) const;
  // An entry's event, or the cycles.
  struct Counted {
    plan::KernelEvent event;
    plan::EventModifiers modifiers;
    std::string name;
  };
  diag::Result<int> open_one(OpenCount count, const Counted& counted, Scope scope, int leader);
  void switch_all(unsigned long request) {
    for (const OpenCount& one : counts_) {
      if (one.leads) ioctl(one.event.number(), request, 0);
    }
  }

  LinuxPrograms& programs_;
  const LinuxMachine& machine_;
  plan::CountPlan plan_;
  perf_events::OpenEvent open_event_;
  std::vector<OpenCount> counts_;
  std::set<std::string> in_user_mode_only_;  // events that this user may count only in user mode, although the kernel
                                             // causes them, too
  std::map<usize, diag::Error> refused_;     // default events that cannot be counted, with the reasons
  bool starts_with_program_ = false;
  u64 start_ns_ = 0, end_ns_ = 0;
};

diag::Result<void> LinuxCountSession::open() {
  perf_events::raise_descriptor_limit();
  WPERF_CHECK_OK(open_units());
  // Without this error, an empty table would look like a result.
  if (counts_.empty() && !refused_.empty()) return refused_.begin()->second;
  return {};
}

diag::Result<void> LinuxCountSession::open_units() {
  if (!plan_.of_program) {
    for (usize i = 0; i < plan_.cores.size(); ++i) {
      WPERF_CHECK_OK(open_unit(i, {.thread = -1, .core = static_cast<int>(plan_.cores[i])}, plan_.cores[i], false));
    }
    return {};
  }
  const u32 process = plan_.process.value_or(0);
  starts_with_program_ = programs_.is_held(process);
  const std::vector<int> threads = programs_.threads_to_watch(process);
  for (const int thread : threads) {
    WPERF_CHECK_OK(open_unit(0, {.thread = thread, .core = -1}, 0, threads.size() > 1));
  }
  return {};
}

// A thread may end after it was listed and before its event is opened.
diag::Result<void> LinuxCountSession::open_unit(usize unit, Scope scope, u32 core, bool may_vanish) {
  std::map<u32, int> leaders;
  for (usize entry = 0; entry < schedule().entries.size(); ++entry) {
    const auto opened = open_entry(unit, entry, scope, core, leaders);
    if (opened.has_value()) continue;
    const bool is_gone = opened.error().system_error == ESRCH;
    if (schedule().entries[entry].optional && !is_gone) {
      refused_.try_emplace(entry, opened.error());
      continue;
    }
    const bool online = std::find(machine_.cores.begin(), machine_.cores.end(), core) != machine_.cores.end();
    if ((may_vanish && is_gone) || (scope.core >= 0 && !online)) return {};
    return opened.error();
  }
  if (!machine_.has_counters) return {};
  Counted cycles{.event = {}, .modifiers = {}, .name = "cycles"};
  cycles.event.type = PERF_TYPE_HARDWARE;
  cycles.event.config = PERF_COUNT_HW_CPU_CYCLES;
  cycles.event.hardware = true;
  const auto opened =
      open_one({.unit = unit, .entry = {}, .leads = true, .has_enabled_time = true, .event = {}}, cycles, scope, -1);
  if (!opened.has_value()) return opened.error();
  return {};
}

std::vector<plan::KernelEvent> LinuxCountSession::events_of(const plan::Entry& entry, Scope scope, u32 core) const {
  if (entry.kernel_event.has_value()) return {*entry.kernel_event};
  plan::KernelEvent event;
  event.type = kTypeRaw;
  event.config = entry.code;
  event.hardware = true;
  if (scope.core >= 0) {
    event.type = core_unit_type(machine_, core);
    return {event};
  }
  std::vector<plan::KernelEvent> events;  // a program moves between kinds of cores, and the event on each kind counts
                                          // its part
  for (const u32 type : core_unit_types(machine_)) {
    event.type = type;
    events.push_back(event);
  }
  return events;
}

diag::Result<void> LinuxCountSession::open_entry(usize unit, usize number, Scope scope, u32 core,
                                                 std::map<u32, int>& leaders) {
  const plan::Entry& entry = schedule().entries[number];
  if (entry.padding) return {};
  const std::vector<plan::KernelEvent> events = events_of(entry, scope, core);
  for (usize kind = 0; kind < events.size(); ++kind) {
    const std::vector<u32>& only = events[kind].cores;
    if (!only.empty()) {
      if (scope.thread >= 0) {
        return diag::usage_error(entry.name + " counts for the whole machine, not for a program",
                                 "count it on a core: leave out the program, and use -c or --timeout");
      }
      if (std::find(only.begin(), only.end(), core) == only.end()) continue;
    }
    const u32 group = entry.group.value_or(0) * 16 + static_cast<u32>(kind);
    const auto leader = entry.group.has_value() ? leaders.find(group) : leaders.end();
    const int led_by = leader != leaders.end() ? leader->second : -1;
    OpenCount count{.unit = unit, .entry = number, .leads = led_by < 0, .has_enabled_time = kind == 0, .event = {}};
    const Counted counted{.event = events[kind], .modifiers = entry.modifiers, .name = entry.name};
    WPERF_TRY(const int opened, open_one(std::move(count), counted, scope, led_by));
    if (entry.group.has_value() && led_by < 0) leaders[group] = opened;
  }
  return {};
}

diag::Result<int> LinuxCountSession::open_one(OpenCount count, const Counted& counted, Scope scope, int leader) {
  const auto& [event, modifiers, name] = counted;
  const bool may_do_with_less = event.in_both_modes && !plan_.kernel && !modifiers.choose_modes();
  perf_event_attr attributes = perf_events::attributes_of(event, plan_.kernel || event.in_both_modes, modifiers);
  attributes.precise_ip = 0;  // precision applies only to sampling
  attributes.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
  attributes.inherit = scope.thread >= 0 ? 1 : 0;
  attributes.disabled = count.leads ? 1 : 0;
  attributes.enable_on_exec = count.leads && starts_with_program_ ? 1 : 0;
  count.event = open_event_(attributes, scope, leader);
  if (!count.event.is_open() && may_do_with_less && (errno == EACCES || errno == EPERM)) {
    attributes.exclude_kernel = attributes.exclude_hv = 1;
    count.event = open_event_(attributes, scope, leader);
    if (count.event.is_open()) in_user_mode_only_.insert(name);
  }
  if (!count.event.is_open())
    return perf_events::refusal(errno, name, event.hardware, attributes.exclude_kernel == 0, scope);
  counts_.push_back(std::move(count));
  return counts_.back().event.number();
}

std::vector<std::string> LinuxCountSession::remarks() const {
  std::vector<std::string> remarks;
  for (const std::string& name : in_user_mode_only_) {
    remarks.push_back(
        name + " counts user mode only: kernel.perf_event_paranoid does not allow this user to count the kernel");
  }
  for (const auto& [entry, reason] : refused_) {
    remarks.push_back(schedule().entries[entry].name + " is not counted: " + reason.text);
  }
  return remarks;
}

diag::Result<readings::CountCapture> LinuxCountSession::read() {
  readings::CountCapture capture{
      .start_ns = start_ns_, .end_ns = end_ns_ != 0 ? end_ns_ : programs_.now_ns(), .units = {}};
  for (const u32 core : plan_.cores) {
    readings::UnitCounts& unit = capture.units.emplace_back();
    unit.unit = core;
    unit.entries.resize(schedule().entries.size());
    for (const auto& [entry, reason] : refused_) unit.entries[entry].refused = true;
  }
  for (const OpenCount& one : counts_) {
    WPERF_TRY(const perf_events::Reading reading, perf_events::read_event(one.event));
    readings::UnitCounts& unit = capture.units[one.unit];
    unit.enabled_ns = std::max(unit.enabled_ns, reading.enabled_ns);
    if (!one.entry.has_value()) {
      unit.cycles += reading.value;
      unit.cycles_running_ns += reading.running_ns;
      unit.cycles_enabled_ns += reading.enabled_ns;
      continue;
    }
    readings::CounterReading& entry = unit.entries[*one.entry];
    entry.value += reading.value;
    entry.running_ns += reading.running_ns;
    if (one.has_enabled_time) entry.enabled_ns += reading.enabled_ns;
  }
  for (readings::UnitCounts& unit : capture.units) {
    unit.multiplexed = unit.cycles_running_ns < unit.cycles_enabled_ns ||
                       std::any_of(
                           unit.entries.begin(), unit.entries.end(),
                           [](const readings::CounterReading& entry) { return entry.running_ns < entry.enabled_ns; });
  }
  return capture;
}

}  // namespace

u32 core_unit_type(const LinuxMachine& machine, u32 core) {
  for (const perf_events::Unit& unit : machine.units) {
    if (unit.of_cores() && std::find(unit.cores.begin(), unit.cores.end(), core) != unit.cores.end()) return unit.type;
  }
  return kTypeRaw;
}

std::vector<u32> core_unit_types(const LinuxMachine& machine) {
  std::vector<u32> types;
  for (const perf_events::Unit& unit : machine.units) {
    if (unit.of_cores() && !unit.cores.empty()) types.push_back(unit.type);
  }
  if (types.empty()) types.push_back(kTypeRaw);
  return types;
}

diag::Result<std::unique_ptr<device::CountSession>> open_linux_count(LinuxPrograms& programs,
                                                                     const LinuxMachine& machine,
                                                                     const plan::CountPlan& plan,
                                                                     perf_events::OpenEvent opener) {
  auto session = std::make_unique<LinuxCountSession>(programs, machine, plan, opener);
  WPERF_CHECK_OK(session->open());
  return std::unique_ptr<device::CountSession>(std::move(session));
}

}  // namespace wperf::linux_kernel
