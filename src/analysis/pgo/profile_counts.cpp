// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/pgo/profile_counts.h"

#include <algorithm>
#include <cmath>
#include <iterator>

#include "base/ascii.h"
#include "code/symbols/elf/elf_symbols.h"
#include "formats/perf_data/process_history.h"

namespace wperf::pgo {
namespace {

using compiler_profiles::AddressCounts;
using stacks::StackProfile;

// The symbols of one recording's files; each file is read once.
class SymbolsOfFiles {
 public:
  explicit SymbolsOfFiles(const recording::CodeFiles& files) : files_(files) {}

  void name(u32 module, u64 begin, CountedFunction& function) {
    const modules::CodeFile* const file = files_.find(module);
    if (file == nullptr || file->elf() == nullptr) return;
    const auto [known, is_new] = known_.try_emplace(module);
    Symbols& symbols = known->second;
    if (is_new) {
      symbols = {symbols::ElfSymbols::read(file->elf(), nullptr, nullptr), symbols::LocalSymbols::read(*file->elf())};
    }
    const symbols::ElfSymbol* const found = symbols.all.find(begin);
    if (found == nullptr || found->begin != begin) return;
    const u32 number = found->is_local ? symbols.local.number_of(found->name, begin) : 0;
    if (found->is_local && number == 0) return;
    function.elf_symbol = found->name;
    function.local_number = number;
  }

 private:
  struct Symbols {
    symbols::ElfSymbols all;
    symbols::LocalSymbols local;
  };
  const recording::CodeFiles& files_;
  std::map<u32, Symbols> known_;
};

class SampleAdder {
 public:
  SampleAdder(const recording::RecordedSamples& recorded, usize first_operation, ProfileCounts& counts)
      : recorded_(recorded),
        profile_(recorded.profile),
        counts_(counts),
        symbols_(recorded.files),
        binary_of_module_(profile_.modules.size(), stacks::kNothing) {
    for (const stacks::StackEvent& event : profile_.events) {
      events_.push_back(events_.size() >= first_operation ? counts.event_of(kOperations, EventKind::instructions)
                                                          : counts.event_of(event.name, kind_of_event(event.name)));
    }
    find_periods();
  }

  void add(const stacks::StackSample& sample) {
    const u32 event = events_[sample.event];
    counts_.samples += sample.count;
    counts_.events[event].samples += sample.count;
    const u32 place = profile_.nodes[sample.node].place;
    if (place == stacks::kNothing) {
      counts_.drops.nowhere += sample.count;
      return;
    }
    const stacks::StackFunction& function = profile_.functions[profile_.places[place].function];
    const stacks::StackModule& module = profile_.modules[function.module];
    const modules::CodeFile* const file = recorded_.files.find(function.module);
    if (function.is_kernel) {
      counts_.drops.kernel += sample.count;
    } else if (module.is_nowhere) {
      counts_.drops.nowhere += sample.count;
    } else if (file == nullptr) {
      counts_.drops.jit_code += sample.count;
    } else {
      add_to_binary(sample, event, function.module);
    }
  }

 private:
  // In perf's frequency mode, periods vary, and the period of a sample is the number of events for which it stands.
  struct Periods {
    u64 samples = 0, sum = 0;
    u64 first = 0;  // the mean period of the first samples
    bool differ = false;
  };
  void find_periods() {
    periods_.resize(profile_.events.size());
    for (const stacks::StackSample& sample : profile_.samples) {
      Periods& known = periods_[sample.event];
      if (known.samples == 0 && sample.count != 0) known.first = sample.period / sample.count;
      known.differ = known.differ || known.first * sample.count != sample.period;
      known.samples += sample.count;
      known.sum += sample.period;
    }
    for (usize i = 0; i < periods_.size(); ++i) {
      const bool is_weighted = counts_.events[events_[i]].name != kOperations && periods_[i].sum != 0;
      periods_[i].differ = periods_[i].differ && is_weighted;
    }
  }

  void add_weight(Binary& binary, const stacks::StackSample& sample, u32 event, u64 address) {
    const Periods& periods = periods_[sample.event];
    auto known = binary.weighted.find(event);
    if (known == binary.weighted.end()) {
      if (!periods.differ) return;
      known = binary.weighted.try_emplace(event).first;
      for (const auto& [before, count] : binary.samples[event]) known->second[before] = static_cast<double>(count);
    }
    double weight = static_cast<double>(sample.count);
    if (periods.differ) {
      weight =
          static_cast<double>(sample.period) / static_cast<double>(periods.sum) * static_cast<double>(periods.samples);
    }
    known->second[address] += weight;
  }

  void add_to_binary(const stacks::StackSample& sample, u32 event, u32 module) {
    Binary& binary = binary_at(module);
    const u32 number = profile_.site_of_node[sample.node];
    if (number == stacks::kNothing) {
      binary.without_address += sample.count;
      return;
    }
    stacks::CodeSite site = profile_.sites[number];
    // If the file is not on this machine, its addresses are RVAs, so they are moved.
    const u64 moved = binary.image_base - profile_.modules[module].image_base;
    const u64 begin_here = site.begin;
    site.address += moved;
    site.begin += moved;
    site.end += moved;
    add_weight(binary, sample, event, site.address);
    binary.samples[event][site.address] += sample.count;
    add_calls(sample);
    if (profile_.functions[site.function].name.ends_with(kStubEnd)) return;
    if (site.begin == site.end) {
      const stacks::StackFunction& function = profile_.functions[site.function];
      if (function.is_known) binary.boundless[function.name] += sample.count;
      return;
    }
    const auto [entry, is_new] = binary.functions.try_emplace(site.begin);
    if (!is_new) return;
    entry->second.name = profile_.functions[site.function].name;
    entry->second.end = site.end;
    symbols_.name(module, begin_here, entry->second);
  }

  // Counts the calls between adjacent frames of the stack. The site of a caller is in the call instruction, one byte
  // before the return address.
  void add_calls(const stacks::StackSample& sample) {
    u32 return_offset = 0;  // of the inner frame
    for (u32 node = sample.node; profile_.nodes[node].parent != stacks::kNothing; node = profile_.nodes[node].parent) {
      const u32 inner = profile_.site_of_node[node], outer = profile_.site_of_node[profile_.nodes[node].parent];
      const u32 module = module_of_site(inner);
      if (module != stacks::kNothing && module == module_of_site(outer)) {
        Binary& binary = binary_at(module);
        const u64 moved = binary.image_base - profile_.modules[module].image_base;
        const u64 from = profile_.sites[inner].address + return_offset, to = profile_.sites[outer].address + 1;
        binary.calls[{from + moved, to + moved}] += sample.count;
      }
      return_offset = 1;
    }
  }

  u32 module_of_site(u32 site) const {
    return site != stacks::kNothing ? profile_.functions[profile_.sites[site].function].module : stacks::kNothing;
  }

  Binary& binary_at(u32 module) {
    u32& known = binary_of_module_[module];
    if (known == stacks::kNothing) {
      const Binary& found = counts_.binary_of(profile_.modules[module], recorded_.files.find(module));
      known = static_cast<u32>(&found - counts_.binaries.data());
    }
    return counts_.binaries[known];
  }

  const recording::RecordedSamples& recorded_;
  const StackProfile& profile_;
  ProfileCounts& counts_;
  SymbolsOfFiles symbols_;
  std::vector<u32> binary_of_module_, events_;
  std::vector<Periods> periods_;  // by event of the recording
};

bool contains_any(std::string_view text, std::initializer_list<std::string_view> words) {
  return std::any_of(words.begin(), words.end(), [&](std::string_view word) { return text.contains(word); });
}

}  // namespace

// Recognises event names of Arm, of perf, of Windows tracing, and of SPE operations.
EventKind kind_of_event(std::string_view name) {
  const std::string lower = in_lower_case(std::string(name));
  if (contains_any(lower, {"refill", "miss"})) {
    if (contains_any(lower, {"l1i", "icache"})) return EventKind::instruction_misses;
    return contains_any(lower, {"l1d", "dcache", "cache-misses"}) ? EventKind::data_misses : EventKind::other;
  }
  if (contains_any(lower, {"inst_retired", "inst_spec", "instructions"})) return EventKind::instructions;
  if (contains_any(lower, {"stall", "bus"})) return EventKind::other;
  if (contains_any(lower, {"cycle"})) return EventKind::cycles;
  if (contains_any(lower, {"clock", "timer"})) return EventKind::timer;
  if (contains_any(lower, {"br_retired", "br_pred", "branch-instructions", "branchinstructions"})) {
    return EventKind::branches;
  }
  return EventKind::other;
}

u32 ProfileCounts::event_of(std::string_view name, EventKind kind) {
  const auto found =
      std::find_if(events.begin(), events.end(), [&](const CountedEvent& event) { return event.name == name; });
  if (found != events.end()) return static_cast<u32>(found - events.begin());
  events.push_back({.name = std::string(name), .kind = kind, .samples = 0});
  return static_cast<u32>(events.size() - 1);
}

void ProfileCounts::keep_files(recording::RecordedSamples& recorded) {
  const recording::CodeFiles& kept = files.emplace_back(std::move(recorded.files));
  const auto& modules = recorded.profile.modules;
  for (u32 module = 0; module < modules.size(); ++module) {
    const modules::CodeFile* const file = kept.find(module);
    if (file == nullptr || !file->has_symbols()) continue;
    const auto found = find_binary(modules[module]);
    if (found != binaries.end() && found->file == nullptr) found->file = file;
  }
}

std::vector<Binary>::iterator ProfileCounts::find_binary(const stacks::StackModule& module) {
  return std::find_if(binaries.begin(), binaries.end(), [&](const Binary& binary) {
    if (binary.build_id != module.build_id || binary.name != module.name) return false;
    return !module.build_id.empty() || binary.path == module.path;
  });
}

Binary& ProfileCounts::binary_of(const stacks::StackModule& module, const modules::CodeFile* file) {
  if (const auto found = find_binary(module); found != binaries.end()) return *found;
  return binaries.emplace_back(
      Binary{.name = module.name,
             .path = module.path,
             .build_id = module.build_id,
             .reason = module.reason,
             .file = nullptr,
             .is_windows = (file != nullptr && file->is_windows()) || perf_data::is_windows_path(module.path),
             .image_base = module.image_base,
             .samples = {},
             .weighted = {},
             .boundless = {},
             .functions = {},
             .branches = {},
             .operation_branches = {},
             .entries = {},
             .operation_entries = {},
             .ranges = {},
             .calls = {}});
}

void add_samples(const recording::RecordedSamples& recorded, usize first_operation, ProfileCounts& counts) {
  SampleAdder adder(recorded, first_operation, counts);
  for (const stacks::StackSample& sample : recorded.profile.samples) adder.add(sample);
  const std::string& program = recorded.about.image;
  const auto& known = counts.programs;
  if (!program.empty() && std::find(known.begin(), known.end(), program) == known.end()) {
    counts.programs.push_back(program);
  }
}

std::vector<u32> chosen_events(const ProfileCounts& counts) {
  std::vector<u32> chosen;
  const CountedEvent* best = nullptr;
  for (const CountedEvent& event : counts.events) {
    if (event.samples == 0) continue;
    const bool is_better =
        best == nullptr || event.kind < best->kind || (event.kind == best->kind && event.samples > best->samples);
    if (is_better) best = &event;
  }
  if (best == nullptr) return chosen;
  for (u32 i = 0; i < counts.events.size(); ++i) {
    const CountedEvent& event = counts.events[i];
    if (event.samples == 0) continue;
    if (&event == best || (event.kind == best->kind && event.kind != EventKind::other)) chosen.push_back(i);
  }
  return chosen;
}

Population population_of(const ProfileCounts& counts, const std::vector<u32>& events) {
  if (events.empty()) return Population::instructions;
  const bool are_operations =
      std::all_of(events.begin(), events.end(), [&](u32 event) { return counts.events[event].name == kOperations; });
  if (are_operations && counts.other_operations == 0) return Population::branches;
  switch (counts.events[events.front()].kind) {
    case EventKind::branches:
      return Population::branches;
    case EventKind::cycles:
    case EventKind::timer:
      return Population::time;
    default:
      return Population::instructions;
  }
}

u64 samples_in(const Binary& binary, const std::vector<u32>& events) {
  u64 sum = 0;
  for (const u32 event : events) {
    const auto found = binary.samples.find(event);
    if (found == binary.samples.end()) continue;
    for (const auto& [address, count] : found->second) sum += count;
  }
  return sum;
}

u64 branches_in(const Binary& binary) {
  u64 sum = 0;
  for (const auto& [branch, totals] : binary.branches) sum += totals.count;
  return sum;
}

AddressCounts counts_of(const Binary& binary, const std::vector<u32>& events) {
  std::map<u64, u64> sums;
  for (const u32 event : events) {
    const auto found = binary.samples.find(event);
    if (found == binary.samples.end()) continue;
    for (const auto& [address, count] : found->second) sums[address] += count;
  }
  AddressCounts out;
  for (const auto& [address, count] : sums) out.samples.push_back({address, count});
  for (const auto& [range, count] : binary.ranges) out.ranges.push_back({range.first, range.second, count});
  for (const auto& [to, count] : out.ranges.empty() ? binary.operation_entries : binary.entries) {
    out.entries.push_back({to, count});
  }
  for (const auto& [branch, totals] : out.ranges.empty() ? binary.operation_branches : binary.branches) {
    out.branches.push_back({branch.first, branch.second, totals.count, totals.mispredicted});
  }
  return out;
}

AddressCounts weighted_by_periods(AddressCounts counts, const Binary& binary, const std::vector<u32>& events) {
  const bool is_weighted =
      std::any_of(events.begin(), events.end(), [&](u32 one) { return binary.weighted.contains(one); });
  if (!is_weighted) return counts;
  std::unordered_map<u64, double> sums;
  for (const u32 event : events) {
    if (const auto weighted = binary.weighted.find(event); weighted != binary.weighted.end()) {
      for (const auto& [address, weight] : weighted->second) sums[address] += weight;
    } else if (const auto samples = binary.samples.find(event); samples != binary.samples.end()) {
      for (const auto& [address, count] : samples->second) sums[address] += static_cast<double>(count);
    }
  }
  for (auto& one : counts.samples) one.count = std::max<u64>(static_cast<u64>(std::llround(sums[one.address])), 1);
  return counts;
}

const CountedFunction* function_at(const Binary& binary, u64 address, u64& begin) {
  auto after = binary.functions.upper_bound(address);
  if (after == binary.functions.begin()) return nullptr;
  --after;
  if (address >= after->second.end) return nullptr;
  begin = after->first;
  return &after->second;
}

}  // namespace wperf::pgo
