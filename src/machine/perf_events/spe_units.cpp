// SPDX-License-Identifier: BSD-3-Clause
#include "machine/perf_events/spe_units.h"

#include <fmt/format.h>

#include <algorithm>

namespace wperf::perf_events {
namespace {

constexpr std::string_view kNamePrefix = "arm_spe_";
constexpr u32 kVersionShift = 32;  // ID_AA64DFR0_EL1.PMSVer
// PMSIDR_EL1
constexpr u64 kFiltersEvents = 1u << 0, kFiltersTypes = 1u << 1, kFiltersLatency = 1u << 2,
              kFiltersAbsentEvents = 1u << 6;
constexpr u32 kIntervalShift = 8, kCountSizeShift = 16;

u64 interval_field(u64 operations) {
  constexpr std::pair<u64, u64> kFields[] = {{256, 0},  {512, 2},  {768, 3},  {1024, 4},
                                             {1536, 5}, {2048, 6}, {3072, 7}, {4096, 8}};
  for (const auto& [least, field] : kFields) {
    if (operations == least) return field;
  }
  return kFields[std::size(kFields) - 1].second;
}

}  // namespace

std::vector<Unit> spe_units(const std::vector<Unit>& units) {
  std::vector<Unit> found;
  for (const Unit& unit : units) {
    if (unit.name.starts_with(kNamePrefix)) found.push_back(unit);
  }
  return found;
}

const Unit* spe_unit_of_core(const std::vector<Unit>& spe_units, u32 core) {
  for (const Unit& unit : spe_units) {
    if (std::find(unit.mask.begin(), unit.mask.end(), core) != unit.mask.end()) return &unit;
  }
  return nullptr;
}

// The kernel shows the register fields that programs need, and a format only if the hardware has it.
SpeIdentity spe_identity(const SystemFiles& files, const std::vector<Unit>& spe_units) {
  if (spe_units.empty()) return {};
  const std::string folder = kUnitFolder + spe_units.front().name;
  const auto has_format = [&](const char* name) { return files.exists(folder + "/format/" + name); };
  SpeIdentity identity{.id_aa64dfr0 = u64{1} << kVersionShift, .pmsidr = 0};
  if (has_format("event_filter")) identity.pmsidr |= kFiltersEvents;
  if (has_format("load_filter")) identity.pmsidr |= kFiltersTypes;
  if (has_format("min_latency")) identity.pmsidr |= kFiltersLatency;
  if (has_format("inv_event_filter")) identity.pmsidr |= kFiltersAbsentEvents;
  identity.pmsidr |= interval_field(files.number(folder + "/caps/min_interval").value_or(0)) << kIntervalShift;
  constexpr u64 kWideCounters = 16, kWideField = 3, kNarrowField = 2;
  const bool wide = files.number(folder + "/caps/count_size").value_or(0) == kWideCounters;
  identity.pmsidr |= (wide ? kWideField : kNarrowField) << kCountSizeShift;
  return identity;
}

diag::Result<plan::KernelEvent> spe_event(const SystemFiles& files, const Unit& unit, const plan::SpePlan& plan) {
  const std::pair<const char*, u64> settings[] = {
      {"ts_enable", plan.timestamps ? 1 : 0}, {"pa_enable", plan.physical ? 1 : 0},
      {"jitter", plan.jitter ? 1 : 0},        {"load_filter", plan.loads ? 1 : 0},
      {"store_filter", plan.stores ? 1 : 0},  {"branch_filter", plan.branches ? 1 : 0},
      {"event_filter", plan.events},          {"inv_event_filter", plan.not_events},
      {"min_latency", plan.min_latency}};
  std::string terms;
  for (const auto& [name, value] : settings) {
    if (value != 0) terms += fmt::format("{}{}=0x{:x}", terms.empty() ? "" : ",", name, value);
  }
  WPERF_TRY(plan::KernelEvent event, parse_unit_event(files, unit, terms));
  event.hardware = true;
  event.cores.clear();  // its mask says which cores have it, not which read it
  return event;
}

}  // namespace wperf::perf_events
