// SPDX-License-Identifier: BSD-3-Clause
#include "machine/plan/spe_filters.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <vector>

namespace wperf::plan {
namespace {

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

const SpeSetting* find_spe_setting(std::string_view name) {
  if (name.empty()) return nullptr;
  for (const SpeSetting& setting : kSettings) {
    if (name == setting.name || name == setting.alias) return &setting;
  }
  return nullptr;
}

namespace {

// PMSIDR_EL1.Interval → operations: the least intervals that the architecture recommends.
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
    return diag::contract_error(fmt::format("SPE filter '{}' unknown, use: {}", given.name, fmt::join(names, ", ")));
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
