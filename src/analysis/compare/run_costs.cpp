// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/compare/run_costs.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <string_view>
#include <utility>

#include "analysis/compare/dispersion.h"
#include "analysis/compare/function_names.h"
#include "model/stacks/call_tree.h"
#include "model/stacks/id_table.h"

namespace wperf::compare {
namespace {

using stacks::kNothing;
using stacks::StackProfile;
using stacks::StackSample;

// Numbers the units of a profile's functions, modules and lines.
class UnitNumbers {
 public:
  UnitNumbers(const StackProfile& profile, const RunCostOptions& options, RunCosts& run)
      : profile_(profile),
        units_(run.units),
        files_(run.files),
        of_function_(profile.functions.size(), kNothing),
        inclusive_(options.inclusive ? profile.functions.size() : 0, kNothing),
        file_of_module_(profile.modules.size(), kNothing),
        of_module_(profile.modules.size(), kNothing),
        of_line_(options.lines ? profile.lines.size() : 0, kNothing) {}

  u32 of_function(u32 function) {
    u32& number = of_function_[function];
    if (number != kNothing) return number;
    const stacks::StackFunction& one = profile_.functions[function];
    const std::string& module = profile_.modules[one.module].name;
    const std::string key = key_of(one);
    const auto [entry, is_new] = functions_.try_emplace({one.module, key}, static_cast<u32>(units_.size()));
    number = entry->second;
    if (is_new) {
      const bool is_known = !key.empty();
      units_.push_back({.kind = UnitKind::function,
                        .module = module,
                        .name = is_known ? function_key(one.name) : "(code without a name)",
                        .key = key,
                        .is_known = is_known,
                        .is_address = is_known && one.is_address,
                        .begins = {}});
    }
    units_[number].file = file_of(one.module);
    if (one.begin != 0) units_[number].begins.push_back(one.begin);
    return number;
  }
  // The unit of a function including callees; kNothing if callees are not requested.
  u32 of_inclusive(u32 function) {
    if (function >= inclusive_.size()) return kNothing;
    u32& number = inclusive_[function];
    if (number != kNothing) return number;
    Unit unit = units_[of_function(function)];
    if (!unit.is_known) return kNothing;
    const auto [entry, is_new] = inclusive_units_.try_emplace({unit.module, unit.key}, static_cast<u32>(units_.size()));
    number = entry->second;
    if (!is_new) return number;
    unit.kind = UnitKind::inclusive;
    unit.begins.clear();
    units_.push_back(std::move(unit));
    return number;
  }
  u32 of_module(u32 module) {
    return of(of_module_[module], [&] {
      return Unit{
          .kind = UnitKind::module, .module = profile_.modules[module].name, .name = {}, .key = {}, .begins = {}};
    });
  }
  // kNothing if the line is not known, or if lines are not requested.
  u32 of_line(u32 line, u32 module) {
    if (line >= of_line_.size()) return kNothing;
    return of(of_line_[line], [&] {
      return Unit{.kind = UnitKind::line,
                  .module = profile_.modules[module].name,
                  .name = profile_.lines[line],
                  .key = profile_.lines[line],
                  .begins = {}};
    });
  }

 private:
  // Returns an empty text if the function has no name and its build is not known.
  std::string key_of(const stacks::StackFunction& function) const {
    const stacks::StackModule& module = profile_.modules[function.module];
    // An address means the same function only in the same build.
    const std::string& build = module.build_id.empty() ? module.path : module.build_id;
    if (function.is_address && (function.is_known || !module.build_id.empty())) return function.name + build;
    return function.is_known || function.is_inlined ? function_key(function.name) : std::string();
  }
  u32 file_of(u32 module) {
    u32& file = file_of_module_[module];
    if (file == kNothing) {
      file = static_cast<u32>(files_.size());
      files_.push_back(profile_.modules[module]);
    }
    return file;
  }
  template <typename Make>
  u32 of(u32& number, const Make& make) {
    if (number == kNothing) {
      number = static_cast<u32>(units_.size());
      units_.push_back(make());
    }
    return number;
  }

  const StackProfile& profile_;
  std::vector<Unit>& units_;
  std::vector<stacks::StackModule>& files_;
  std::vector<u32> of_function_, inclusive_, file_of_module_, of_module_, of_line_;
  std::map<std::pair<u32, std::string>, u32> functions_;
  std::map<std::pair<std::string, std::string>, u32> inclusive_units_;
};

// The samples of one event by unit and block; a block is a period of one thread.
class Blocks {
 public:
  Blocks(const StackProfile& profile, u64 length_ns) {
    slices_per_block_ = static_cast<u32>(std::max<u64>(1, length_ns / std::max<u64>(1, profile.slices.length_ns)));
  }

  u32 number_of(u32 task, u32 slice) {
    const u32 number = numbers_.insert(task, slice / slices_per_block_).id;
    if (number == all_.size()) all_.push_back(0);
    return number;
  }
  void add(u32 unit, u32 block, double samples) {
    const u32 cell = cells_.insert(unit, block).id;
    if (cell == seen_.size()) seen_.push_back(0);
    seen_[cell] += samples;
  }
  void add_all(u32 block, double samples) { all_[block] += samples; }

  std::vector<Scatter> scatters(usize units) const {
    std::vector<BlockScatter> by_unit(units);
    for (u32 cell = 0; cell < seen_.size(); ++cell)
      by_unit[cells_.first(cell)].add(seen_[cell], all_[cells_.second(cell)]);
    const double samples = std::accumulate(all_.begin(), all_.end(), 0.0);
    std::vector<Scatter> out;
    out.reserve(units);
    for (const BlockScatter& unit : by_unit) out.push_back(unit.get(samples, all_.size()));
    return out;
  }

 private:
  u32 slices_per_block_ = 1;
  stacks::SmallIdTable numbers_, cells_;
  std::vector<double> all_, seen_;  // samples by block, and by block and unit
};

// 100 ms, or less if a recording would otherwise have fewer than 20 blocks.
u64 block_length(const StackProfile& profile) {
  constexpr u64 kBlockNs = 100'000'000, kFewestBlocks = 20;
  return std::min(kBlockNs, profile.slices.count * profile.slices.length_ns / kFewestBlocks);
}

void grow_to(std::vector<UnitCost>& units, u32 unit) {
  if (unit >= units.size()) units.resize(unit + 1);
}

// The share of missing samples. A missing sample may belong to any function, even to one that the filter removes.
double missing_share_of(const StackProfile& profile) {
  const stacks::StackLosses& losses = profile.losses;
  const double missing = static_cast<double>(losses.held_back) + static_cast<double>(losses.lost_samples);
  double taken = static_cast<double>(losses.filtered);
  for (const stacks::StackEvent& event : profile.events) taken += static_cast<double>(event.samples);
  return taken > 0 ? missing / (missing + taken) : 0;
}

class RunCostsBuilder {
 public:
  RunCostsBuilder(const StackProfile& profile, const RunCostOptions& options)
      : profile_(profile), options_(options), numbers_(profile, options, run_) {
    run_.missing_share = missing_share_of(profile);
    cost_of_period_ = 1 / (1 - run_.missing_share);
  }

  RunCosts build() {
    run_.file = profile_.file;
    run_.seconds = profile_.elapsed_seconds;
    const bool has_blocks = options_.scatters && !profile_.slice_counts.empty();
    std::vector<Blocks> blocks;
    for (const stacks::StackEvent& event : profile_.events) {
      run_.events.push_back({.event = event.name, .units = {}, .inlined = {}, .scatters = {}});
      if (has_blocks) blocks.emplace_back(profile_, block_length(profile_));
    }
    inlined_.resize(run_.events.size());
    const stacks::ChosenSamples chosen(
        profile_, {.comms = options_.filter.comms, .pids = options_.filter.pids, .tids = options_.filter.tids});
    std::vector<usize> rows = {0};  // by row of samples: position of its units in units_of_rows
    std::vector<u32> units_of_rows;
    for (const StackSample& sample : profile_.samples) {
      EventCosts& event = run_.events[sample.event];
      event.cost += cost_of(sample.period);
      event.samples += static_cast<double>(sample.count);
      units_.clear();
      if (chosen.has(sample)) add(sample);
      if (!has_blocks) continue;
      units_of_rows.insert(units_of_rows.end(), units_.begin(), units_.end());
      rows.push_back(units_of_rows.size());
    }
    for (const stacks::SliceCount& slice : profile_.slice_counts) {
      if (!has_blocks) break;
      const StackSample& sample = profile_.samples[slice.row];
      Blocks& of_event = blocks[sample.event];
      const u32 block = of_event.number_of(sample.task, slice.slice);
      of_event.add_all(block, static_cast<double>(slice.count));
      for (usize i = rows[slice.row]; i < rows[slice.row + 1]; ++i)
        of_event.add(units_of_rows[i], block, static_cast<double>(slice.count));
    }
    for (usize event = 0; event < run_.events.size(); ++event) {
      run_.events[event].units.resize(run_.units.size());
      for (const auto& [units, cost] : inlined_[event])
        run_.events[event].inlined.push_back({units, cost.cost, cost.samples});
      if (has_blocks) run_.events[event].scatters = blocks[event].scatters(run_.units.size());
    }
    for (const EventCosts& event : run_.events) {
      for (usize unit = 0; unit < event.units.size(); ++unit) run_.units[unit].samples += event.units[unit].samples;
    }
    if (options_.stacks) keep_stacks();
    return std::move(run_);
  }

 private:
  void keep_stacks();
  void add(const StackSample& sample);
  // Finds the distinct units at a node: inlined functions, innermost first, then the function that contains them.
  void find_chain(u32 node);
  void add_unit(u32 unit, const StackSample& sample);
  double cost_of(u64 period) const { return cost_of_period_ * static_cast<double>(period); }

  const StackProfile& profile_;
  const RunCostOptions& options_;
  RunCosts run_;
  UnitNumbers numbers_;
  double cost_of_period_ = 1;  // above 1 if samples are missing
  std::vector<u32> chain_;     // the chain of a sample
  std::vector<u32> units_;     // the units of a sample, each once: functions, module and line
  u64 samples_seen_ = 0;
  std::vector<u64> seen_in_;                                   // by unit: the number of the last sample that had it
  std::vector<std::map<std::vector<u32>, UnitCost>> inlined_;  // by event and chain
};

void RunCostsBuilder::find_chain(u32 node) {
  chain_.clear();
  for (; node != kNothing && profile_.nodes[node].place != kNothing; node = profile_.nodes[node].parent) {
    const u32 function = profile_.function_of(node);
    const u32 unit = numbers_.of_function(function);
    // A function inlined into itself, or into a part of itself, counts once.
    std::erase(chain_, unit);
    chain_.push_back(unit);
    if (!profile_.functions[function].is_inlined) break;
  }
}

void RunCostsBuilder::add_unit(u32 unit, const StackSample& sample) {
  if (unit == kNothing) return;
  if (unit >= seen_in_.size()) seen_in_.resize(unit + 1, 0);
  if (seen_in_[unit] == samples_seen_) return;
  seen_in_[unit] = samples_seen_;
  units_.push_back(unit);
  std::vector<UnitCost>& costs = run_.events[sample.event].units;
  grow_to(costs, unit);
  costs[unit].cost += cost_of(sample.period);
  costs[unit].samples += static_cast<double>(sample.count);
}

void RunCostsBuilder::add(const StackSample& sample) {
  const stacks::StackPlace& place = profile_.places[profile_.nodes[sample.node].place];
  ++samples_seen_;
  find_chain(sample.node);
  add_unit(chain_.back(), sample);
  const u32 module = profile_.functions[place.function].module;
  add_unit(numbers_.of_module(module), sample);
  add_unit(numbers_.of_line(place.line, module), sample);
  if (options_.inclusive) {
    for (u32 node = sample.node; node != kNothing && profile_.nodes[node].place != kNothing;
         node = profile_.nodes[node].parent)
      add_unit(numbers_.of_inclusive(profile_.function_of(node)), sample);
  }
  if (chain_.size() == 1) return;
  UnitCost& part = inlined_[sample.event][chain_];
  part.cost += cost_of(sample.period);
  part.samples += static_cast<double>(sample.count);
  // The scatter of inlined functions is also recorded, although their costs belong to the host.
  units_.insert(units_.end(), chain_.begin(), chain_.end() - 1);
}

void RunCostsBuilder::keep_stacks() {
  u32 event = 0;
  while (event + 1 < profile_.events.size() && profile_.events[event].samples == 0) ++event;
  if (profile_.events.empty()) return;
  run_.stacks.event = profile_.events[event].name;
  const stacks::CallTree tree = stacks::make_call_tree(profile_, event, options_.filter);
  for (const stacks::CallNode& node : tree.nodes()) {
    const bool is_root = node.parent == kNothing;
    const u32 unit = is_root ? kNothing : numbers_.of_function(node.label);
    if (!is_root) run_.units[unit].samples += static_cast<double>(node.all_samples - node.self_samples);
    run_.stacks.nodes.push_back(
        {.parent = node.parent, .unit = unit, .self = cost_of(node.self_period), .samples = node.self_samples});
  }
  // Functions that only call others have no cost without their callees.
  for (EventCosts& one : run_.events) {
    one.units.resize(run_.units.size());
    if (!one.scatters.empty()) one.scatters.resize(run_.units.size());
  }
}

// Adds up the counts of a run.
class CountSums {
 public:
  void add(EventClass event_class, const answers::CountUnit& unit) {
    using answers::CycleRow;
    has_kernel_cycles_ = has_kernel_cycles_ || unit.cycle_row == CycleRow::with_kernel;
    // An event in several groups has several rows, all with the same value if it was ever scheduled.
    std::map<std::string_view, const answers::CountRow*> rows;
    for (const answers::CountRow& row : unit.rows) {
      sum_of(answers::name_with_class(event_class, row.name));  // keeps the order of the rows
      const answers::CountRow*& chosen = rows[row.name];
      if (chosen == nullptr || (!chosen->counted() && row.counted())) chosen = &row;
    }
    for (const auto& [name, row] : rows) {
      Sum& sum = sum_of(answers::name_with_class(event_class, name));
      const bool is_cycles = event_class == EventClass::core && row == unit.rows.data();
      const bool is_counted = row->counted() && !(is_cycles && unit.cycle_row == CycleRow::uncounted);
      ++(is_counted ? sum.counted : sum.missed);
      if (is_counted) sum.value += static_cast<double>(row->scaled);
    }
  }

  void move_to(RunCosts& costs) {
    for (Sum& sum : sums_) {
      if (sum.counted == 0) {
        costs.losses.push_back(sum.event + " was never scheduled on a counter, so it was not counted.");
        costs.uncounted.push_back(std::move(sum.event));
        continue;
      }
      if (sum.missed != 0) {
        costs.losses.push_back(fmt::format("{} was not scheduled in {} of {} counts of cores, so its sum is too small.",
                                           sum.event, sum.missed, sum.missed + sum.counted));
      }
      costs.counts.push_back({std::move(sum.event), sum.value});
    }
    if (has_kernel_cycles_) {
      costs.losses.emplace_back(
          "cycle includes the kernel, because all counters are used by events; count fewer events to exclude it.");
    }
  }

 private:
  struct Sum {
    std::string event;
    double value = 0;
    u64 counted = 0, missed = 0;  // numbers of cores, clusters or channels
  };

  Sum& sum_of(std::string event) {
    const auto [entry, is_new] = places_.try_emplace(std::move(event), sums_.size());
    if (is_new) sums_.push_back({.event = entry->first});
    return sums_[entry->second];
  }

  std::vector<Sum> sums_;
  std::map<std::string, usize> places_;
  bool has_kernel_cycles_ = false;
};

}  // namespace

RunCosts run_costs(const StackProfile& profile, const RunCostOptions& options) {
  return RunCostsBuilder(profile, options).build();
}

RunCosts costs_of(const answers::CountProfile& profile, const std::string& name) {
  RunCosts costs;
  costs.file = name;
  costs.seconds = profile.elapsed_seconds;
  CountSums sums;
  for (const EventClass event_class : kEventClasses) {
    for (const answers::CountUnit& unit : profile.classes[index_of(event_class)].units) sums.add(event_class, unit);
  }
  sums.move_to(costs);
  return costs;
}

}  // namespace wperf::compare
