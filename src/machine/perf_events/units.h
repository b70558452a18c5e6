// SPDX-License-Identifier: BSD-3-Clause
// What can count on this machine as sysfs describes it: cores, and performance monitoring units with their events.
// Called by event_words.cpp and the Linux device.
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ground/diag/result.h"
#include "machine/perf_events/system_files.h"
#include "machine/plan/kernel_words.h"

namespace wperf::perf_events {

inline constexpr char kUnitFolder[] = "/sys/bus/event_source/devices/";

struct Unit {
  std::string name;
  u32 type = 0;
  std::vector<u32> cores;  // of a unit of cores: which; empty: not said
  std::vector<u32> mask;   // of a unit outside the cores: who reads it
  bool of_cores() const { return mask.empty() && (name == "cpu" || !cores.empty() || name.starts_with("cpu_")); }
};

std::vector<u32> online_cores(const SystemFiles& files);
u64 midr_of(const SystemFiles& files, u32 core);  // 0: not an Arm core, or not told
std::vector<Unit> find_units(const SystemFiles& files);

// `terms`: "event=0x3c,umask=1", or the name of an event in the unit's folder. What each term sets is in the unit's
// format folder.
diag::Result<plan::KernelEvent> parse_unit_event(const SystemFiles& files, const Unit& unit, std::string_view terms);

// Puts `value` into the bits that a format names, "config1:0-7,32-35". False: it does not fit, or the format is none.
bool set_bits(std::string_view format, u64 value, plan::KernelEvent& event);

}  // namespace wperf::perf_events
