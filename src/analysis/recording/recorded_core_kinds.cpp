// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/recording/recorded_core_kinds.h"

#include <algorithm>

#include "formats/perf_data/kernel_core_list.h"

namespace wperf::recording {
namespace {

using perf_data::Feature;
using stacks::kNothing;

constexpr usize kMostKinds = 64;  // more than any machine has; limits the time and memory that a damaged file can take

constexpr u32 kHardwareEvent = 0, kCacheEvent = 3;  // EventAttributes::type

// A file lists PMUs without saying which are of cores; the kernel's names do.
bool is_name_of_core_pmu(std::string_view name) {
  const bool of_arm = name.size() > 4 && name.starts_with("armv") && name[4] >= '0' && name[4] <= '9';
  const bool of_apple = name.starts_with("apple_") && name.ends_with("_pmu");
  return name == "cpu" || name.starts_with("cpu_") || of_arm || of_apple;
}

class KindsReader {
 public:
  explicit KindsReader(const perf_data::PerfFile& file) : file_(file) {}
  stacks::CoreKinds read();

 private:
  struct CountingUnit {
    u32 type = 0, kind = 0;
  };

  u32 kind_named(std::string_view name);
  void read_topology();
  void read_units();
  u32 kind_of_event(const perf_data::EventAttributes& attributes) const;
  void name_machine();

  const perf_data::PerfFile& file_;
  std::vector<CountingUnit> units_;
  stacks::CoreKinds kinds_;
};

// kNothing: there are too many.
u32 KindsReader::kind_named(std::string_view name) {
  std::vector<std::string>& names = kinds_.names;
  const auto known = std::find(names.begin(), names.end(), name);
  if (known == names.end() && names.size() == kMostKinds) return kNothing;
  const auto number = static_cast<u32>(known - names.begin());
  if (known == names.end()) names.emplace_back(name);
  return number;
}

void KindsReader::read_topology() {
  for (const perf_data::CorePmu& pmu : file_.features().core_pmus()) {
    if (pmu.name.empty()) continue;
    const u32 kind = kind_named(pmu.name);
    if (kind == kNothing) return;
    for (const u32 core : perf_data::parse_kernel_list(pmu.cores)) {
      if (core >= kinds_.of_core.size()) kinds_.of_core.resize(core + 1, kNothing);
      kinds_.of_core[core] = kind;
    }
  }
}

void KindsReader::read_units() {
  for (const perf_data::PmuMapping& mapping : file_.features().pmu_mappings()) {
    if (!is_name_of_core_pmu(mapping.name)) continue;
    const u32 kind = kind_named(mapping.name);
    if (kind == kNothing || units_.size() == kMostKinds) return;
    units_.push_back({mapping.type, kind});
  }
}

u32 KindsReader::kind_of_event(const perf_data::EventAttributes& attributes) const {
  // If there are several PMUs, the upper half of the number of a general event is the PMU's type.
  const bool is_general = attributes.type == kHardwareEvent || attributes.type == kCacheEvent;
  const u32 type = is_general ? static_cast<u32>(attributes.config >> 32) : attributes.type;
  const auto found =
      std::find_if(units_.begin(), units_.end(), [&](const CountingUnit& unit) { return unit.type == type; });
  return found != units_.end() && type != kHardwareEvent ? found->kind : kNothing;
}

void KindsReader::name_machine() {
  for (const Feature feature : {Feature::cpu_description, Feature::cpu_id}) {
    const std::string_view text = file_.features().text(feature);
    if (text.empty()) continue;
    kinds_.of_others = kind_named(text);
    return;
  }
}

stacks::CoreKinds KindsReader::read() {
  read_topology();
  read_units();
  // On a machine with several kinds of cores, the processor's name describes only one of them.
  const bool is_mixed = kinds_.names.size() > 1;
  for (const perf_data::Event& event : file_.attrs()) {
    kinds_.events.push_back({.has_cores = event.attributes.has(perf_data::kSampleCpu),
                             .kind = is_mixed ? kind_of_event(event.attributes) : kNothing});
  }
  if (!is_mixed) name_machine();
  return std::move(kinds_);
}

}  // namespace

stacks::CoreKinds recorded_core_kinds(const perf_data::PerfFile& file) {
  return KindsReader(file).read();
}

}  // namespace wperf::recording
