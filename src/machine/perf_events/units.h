// SPDX-License-Identifier: BSD-3-Clause
// The parts of this machine that can count, according to sysfs: cores, and performance monitoring units (PMUs) with
// their events.
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ground/diag/result.h"
#include "machine/perf_events/system_files.h"
#include "machine/plan/kernel_words.h"
#include "machine/plan/spe_plan.h"

namespace wperf::perf_events {

inline constexpr char kUnitFolder[] = "/sys/bus/event_source/devices/";

struct Unit {
  std::string name;
  u32 type = 0;
  std::vector<u32> cores;  // for a core PMU: its cores; empty if unknown
  std::vector<u32> mask;   // for a PMU outside of the cores: the cores that read it
  bool of_cores() const { return mask.empty() && (name == "cpu" || !cores.empty() || name.starts_with("cpu_")); }
};

std::vector<u32> online_cores(const SystemFiles& files);
u64 midr_of(const SystemFiles& files, u32 core);  // 0 if unknown or not an Arm core
std::vector<Unit> find_units(const SystemFiles& files);

// `terms`: "event=0x3c,umask=1", or the name of an event in the PMU's folder. The PMU's format folder says which bits
// each term sets.
diag::Result<plan::KernelEvent> parse_unit_event(const SystemFiles& files, const Unit& unit, std::string_view terms);

// Writes `value` into the bits named by a format such as "config1:0-7,32-35". Returns false if it does not fit, or if
// the format is malformed.
bool set_bits(std::string_view format, u64 value, plan::KernelEvent& event);

// Arm SPE in sysfs: the PMUs arm_spe_0, arm_spe_1 …, one for each kind of core, what they can do, and the
// perf_event_attr for a plan's filters.
std::vector<Unit> spe_units(const std::vector<Unit>& units);
const Unit* spe_unit_of_core(const std::vector<Unit>& spe_units, u32 core);  // null if the core has no SPE

// The values of these registers, in the form that plan expects. All are zero if there is no SPE.
struct SpeIdentity {
  u64 id_aa64dfr0 = 0, pmsidr = 0;
};
SpeIdentity spe_identity(const SystemFiles& files, const std::vector<Unit>& spe_units);

diag::Result<plan::KernelEvent> spe_event(const SystemFiles& files, const Unit& unit, const plan::SpePlan& plan);

}  // namespace wperf::perf_events
