// SPDX-License-Identifier: BSD-3-Clause
#include "machine/plan/spe_plan.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

#include "ground/text/parts.h"
#include "machine/plan/cores.h"

namespace wperf::plan {
namespace {

diag::Error lacks(std::string_view what) {
  return {.text = fmt::format("the SPE of this machine cannot filter by {}", what),
          .hint = "leave out that filter; you can filter in the report instead"};
}

diag::Result<void> check_abilities(const SpePlan& plan, const Capabilities& machine) {
  const u64 pmsidr = machine.pmsidr;
  if (!machine.why_no_spe.empty()) {
    return diag::Error{.text = machine.why_no_spe,
                       .hint = "sample an event instead, or use wperf's own driver: --device driver"};
  }
  if (pmsidr == 0) {
    return diag::Error{.text = "this machine has SPE, but wperf cannot use it",
                       .hint = "a hypervisor or the firmware blocks it; sample an event instead"};
  }
  const SpeAbilities abilities = spe_abilities(pmsidr);
  if ((plan.loads || plan.stores || plan.branches) && !abilities.filters_types) return lacks("type of operation");
  if (plan.events != 0 && !abilities.filters_events) return lacks("event");
  if (plan.not_events != 0 && !abilities.filters_absent_events) return lacks("absent event");
  if (plan.min_latency != 0 && !abilities.filters_latency) return lacks("latency");
  const u32 greatest = (1u << abilities.latency_bits) - 1;
  if (plan.min_latency > greatest) {
    return diag::contract_error(fmt::format("SPE filter 'min_latency' value out of range, use: 0-{}", greatest));
  }
  if (plan.interval < abilities.least_interval) {
    return diag::contract_error(fmt::format("SPE filter 'interval' value out of range, use: {}-{}",
                                            abilities.least_interval, kGreatestSpeInterval));
  }
  return {};
}

// Refuses options for sampling with counters, which would be silently ignored.
diag::Result<void> check_nothing_else(const request::Sampling& sampling) {
  if (!sampling.events.empty()) {
    return diag::usage_error("SPE and counter events cannot be sampled at the same time", "run wperf twice");
  }
  if (sampling.rate_hz.has_value()) {
    return diag::usage_error("--freq adapts the intervals of counters, which SPE does not use",
                             "use the filter interval=, a number of operations");
  }
  const auto& tables = sampling.display.by;
  if (std::find(tables.begin(), tables.end(), request::Breakdown::caller) != tables.end()) {
    return diag::usage_error("SPE records contain no callers", "leave `caller` out of --by");
  }
  return {};
}

// Turns on the recording of times for options that need them.
diag::Result<void> add_times(const request::SampleDisplay& display, const request::RecordingView& view,
                             const Capabilities& machine, SpePlan& plan) {
  const bool timeline = display.timeline_ms.has_value();
  if (!timeline && !view.time.has_value()) return {};
  plan.timestamps = true;
  if (machine.kernel != nullptr || machine.timer.hz != 0) return {};
  return diag::usage_error(
      fmt::format("{} needs the time of SPE records, and this driver does not report the frequency of their clock",
                  timeline ? "--timeline" : "--time"),
      "install the driver that came with this wperf");
}

// Python functions of an SPE record are found by the record's time, so times are recorded.
diag::Result<void> add_python(const request::CallStacks& stacks, const Capabilities& machine, SpePlan& plan) {
  plan.python = stacks.python;
  if (plan.python == request::PythonFrames::none) return {};
  plan.timestamps = true;
  if (machine.kernel == nullptr && machine.shows_python && machine.timer.hz != 0) return {};
  return diag::usage_error("wperf cannot show Python functions with SPE on this device",
                           "use --device sim:…, or sample an event instead of SPE");
}

constexpr u64 kAnyMask = ~u64{0};

constexpr SpeSetting kSettings[] = {
    {"load_filter", "ld", 0, 1, [](SpePlan& plan, u64 value) { plan.loads = value != 0; }},
    {"store_filter", "st", 0, 1, [](SpePlan& plan, u64 value) { plan.stores = value != 0; }},
    {"branch_filter", "b", 0, 1, [](SpePlan& plan, u64 value) { plan.branches = value != 0; }},
    {"ts_enable", "ts", 0, 1, [](SpePlan& plan, u64 value) { plan.timestamps = value != 0; }},
    {"min_latency", "min", 0, 0xffff, [](SpePlan& plan, u64 value) { plan.min_latency = static_cast<u32>(value); }},
    {"interval", "period", 1, kGreatestSpeInterval,
     [](SpePlan& plan, u64 value) { plan.interval = static_cast<u32>(value); }},
    {"jitter", "", 0, 1, [](SpePlan& plan, u64 value) { plan.jitter = value != 0; }},
    {"event_filter", "", 0, kAnyMask, [](SpePlan& plan, u64 value) { plan.events = value; }},
    {"inv_event_filter", "", 0, kAnyMask, [](SpePlan& plan, u64 value) { plan.not_events = value; }},
    {"pa_enable", "pa", 0, 1, [](SpePlan& plan, u64 value) { plan.physical = value != 0; }},
};

}  // namespace

diag::Result<SpePlan> make_spe_plan(const request::Measurement& wanted, const request::RecordingView& view,
                                    const Capabilities& machine) {
  SpePlan plan;
  WPERF_TRY(NamedCores cores, name_cores(wanted, machine.core_count));
  WPERF_CHECK_OK(check_no_counting_list(wanted.items));
  const request::SpeList& list = *wanted.sampling.spe;
  WPERF_CHECK_OK(check_spe(list, machine));
  plan.interval = std::max(plan.interval, spe_abilities(machine.pmsidr).least_interval);
  WPERF_CHECK_OK(check_nothing_else(wanted.sampling));
  for (const request::SpeFilter& given : list.filters) find_spe_setting(given.name)->apply(plan, given.value);
  WPERF_CHECK_OK(check_abilities(plan, machine));
  WPERF_CHECK_OK(add_times(wanted.sampling.display, view, machine, plan));
  WPERF_CHECK_OK(add_python(wanted.sampling.call_stacks, machine, plan));
  WPERF_TRY(SampledCores placed, machine.kernel != nullptr
                                     ? place_by_kernel(std::move(cores), wanted.program.has_value(), machine.core_count)
                                     : place_on_cores(std::move(cores), wanted, machine.core_count));
  plan.cores = std::move(placed.cores);
  plan.program_core = placed.program_core;
  if (plan.cores.size() > kFewCores) plan.buffer_bytes = kSmallSpeBuffer;
  plan.kernel = wanted.kernel;
  plan.display = wanted.sampling.display;
  return plan;
}

const SpeSetting* find_spe_setting(std::string_view name) {
  if (name.empty()) return nullptr;
  for (const SpeSetting& setting : kSettings) {
    if (name == setting.name || name == setting.alias) return &setting;
  }
  return nullptr;
}

namespace {

// Converts PMSIDR_EL1.Interval to operations: the minimum interval that the architecture recommends.
u32 least_interval_of(u64 field) {
  constexpr u32 kIntervals[] = {256, 0, 512, 768, 1024, 1536, 2048, 3072, 4096};
  return field < std::size(kIntervals) && kIntervals[field] != 0 ? kIntervals[field] : 4096;
}

}  // namespace

// ID_AA64DFR0_EL1.PMSVer
bool has_spe(const Capabilities& machine) {
  return (machine.id_aa64dfr0 >> 32 & 0xf) != 0;
}

diag::Result<void> check_spe(const request::SpeList& list, const Capabilities& machine) {
  if (machine.kernel != nullptr && machine.kernel->is_windows()) {
    return diag::Error{.text = "Windows' own tracing does not support SPE",
                       .hint = "use wperf's driver (wperf-devgen install)",
                       .code = diag::ExitCode::no_device};
  }
  if (!has_spe(machine) && machine.kernel != nullptr) {
    return diag::Error{.text = "this kernel has no SPE device: /sys/bus/event_source/devices has no arm_spe_0",
                       .hint =
                           "SPE needs an Arm core that has it, no virtual machine, and the kernel's driver (modprobe "
                           "arm_spe_pmu; some machines need kpti=off); or sample an event instead",
                       .code = diag::ExitCode::no_device};
  }
  if (!has_spe(machine)) return diag::contract_error("SPE is not supported by your hardware: not implemented");
  for (const request::SpeFilter& given : list.filters) {
    if (find_spe_setting(given.name) != nullptr) continue;
    std::vector<std::string_view> names;
    for (const SpeSetting& setting : kSettings) names.push_back(setting.name);
    return diag::contract_error(fmt::format("SPE filter '{}' unknown, use: {}", given.name, text::joined(names, ", ")));
  }
  for (const request::SpeFilter& given : list.filters) {
    const SpeSetting& setting = *find_spe_setting(given.name);
    if (given.value >= setting.least && given.value <= setting.greatest) continue;
    return diag::contract_error(
        fmt::format("SPE filter '{}' value out of range, use: {}-{}", given.name, setting.least, setting.greatest));
  }
  return {};
}

SpeAbilities spe_abilities(u64 pmsidr) {
  return {.filters_events = (pmsidr & 1) != 0,
          .filters_types = (pmsidr & 2) != 0,
          .filters_latency = (pmsidr & 4) != 0,
          .filters_absent_events = (pmsidr & 0x40) != 0,
          .least_interval = least_interval_of(pmsidr >> 8 & 0xf),
          .latency_bits = (pmsidr >> 16 & 0xf) == 3 ? 16u : 12u};
}

}  // namespace wperf::plan
