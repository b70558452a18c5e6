// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/topdown/topdown_cores.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <numeric>
#include <string_view>

#include "ground/text/number_text.h"
#include "machine/plan/cores.h"
#include "model/request/counted_items.h"

namespace wperf::topdown {
namespace {

diag::Error no_method(pmu::Product product, const plan::Capabilities& machine) {
  std::string known;
  for (usize i = 0; i < pmu::product_count(); ++i) {
    const pmu::Product other = pmu::product_at(i);
    if (other.topdown_count() != 0) known += (known.empty() ? "" : ", ") + std::string(other.name());
  }
  std::string text = fmt::format("{} has no known top-down method", product.title());
  diag::ExitCode code = diag::ExitCode::no_device;
  if (machine.kernel != nullptr && !machine.kernel->has_counters()) {
    text = "top-down counts hardware events: " + machine.kernel->why_no_cycles();
  } else if (machine.midr == 0) {
    text = "top-down is a method for Arm cores, and this machine has none";
  } else {
    code = diag::ExitCode::usage;
  }
  return {.text = std::move(text),
          .hint = fmt::format("Top-down works on these Arm cores: {}; to try it on a simulated core with an ARM64 "
                              "Windows program: `wperf topdown --device sim:cpu=neoverse-v3 -- PROGRAM.exe`",
                              known),
          .code = code};
}

std::vector<u32> first_cores(u32 count) {
  std::vector<u32> cores(count);
  std::iota(cores.begin(), cores.end(), 0u);
  return cores;
}

std::vector<KindOfCore> kinds_among(const std::vector<u32>& cores, const plan::Capabilities& machine) {
  std::vector<KindOfCore> kinds;
  for (const u32 core : cores) {
    const pmu::Product product = plan::product_of_core(machine, core);
    auto kind =
        std::find_if(kinds.begin(), kinds.end(), [&](const KindOfCore& known) { return known.product == product; });
    if (kind == kinds.end()) kind = kinds.insert(kinds.end(), KindOfCore{.product = product});
    if (!kind->cores.empty() && kind->cores.back().last + 1 == core)
      kind->cores.back().last = core;
    else
      kind->cores.push_back({core, core});
  }
  return kinds;
}

std::vector<KindOfCore> all_kinds(const plan::Capabilities& machine) {
  return kinds_among(first_cores(machine.core_count), machine);
}

// "cores 0-3 (Cortex-A55), cores 4-7 (Cortex-A76)"
std::string names_of(const std::vector<KindOfCore>& kinds) {
  std::string text;
  for (const KindOfCore& kind : kinds)
    text += fmt::format("{}cores {} ({})", text.empty() ? "" : ", ", text_of(kind.cores), kind.product.title());
  return text;
}

// The error for a kernel, which counts a program on all cores together and so would mix kinds of cores.
diag::Error would_mix(const std::vector<KindOfCore>& kinds, bool is_started) {
  const u32 one = kinds.back().cores.front().first;
  return diag::usage_error(
      fmt::format("this machine has several kinds of cores with different top-down methods, and a program "
                  "that moves between them would mix their counts: {}",
                  names_of(kinds)),
      is_started ? fmt::format("-c {} keeps the program on that core", one)
                 : fmt::format("leave out -p; -c {} then measures everything on that core", one));
}

// A driver measures a program on the core where the program starts, a kernel on all cores. A measurement of the whole
// machine uses all cores.
diag::Result<std::vector<KindOfCore>> kinds_of(const request::Measurement& wanted, const plan::Capabilities& machine) {
  WPERF_TRY(const std::vector<u32> cores,
            plan::expand_cores(wanted.cores, machine.core_count, request::kMeasuredCores));
  if (!cores.empty()) return kinds_among(cores, machine);
  std::vector<KindOfCore> kinds = all_kinds(machine);
  const bool is_started = wanted.program.has_value(), is_one_program = wanted.of_program();
  if (machine.kernel != nullptr && is_one_program && kinds.size() > 1) return would_mix(kinds, is_started);
  return is_started ? kinds_among({0}, machine) : kinds;
}

u64 added(u64 left, u64 right) {
  return left > std::numeric_limits<u64>::max() - right ? std::numeric_limits<u64>::max() : left + right;
}

void add_row(const answers::CountRow& row, std::string_view name, std::vector<EventCount>& counts) {
  auto found =
      std::find_if(counts.begin(), counts.end(), [name](const EventCount& count) { return count.name == name; });
  if (found == counts.end()) {
    counts.push_back({.name = std::string(name)});
    found = counts.end() - 1;
  }
  found->value = added(found->value, row.scaled);
  found->low = added(found->low, row.has_interval ? text::whole_count(row.low) : 0);
  found->high = added(found->high, row.has_interval ? text::whole_count(row.high) : 0);
  found->bounded = found->bounded && row.has_interval;
  found->counted = found->counted && row.counted();
}

}  // namespace

KindCounts counts_of(const answers::CountProfile& profile, const plan::Capabilities& machine, pmu::Product product) {
  KindCounts counts;
  for (const answers::CountUnit& unit : profile.classes[index_of(EventClass::core)].units) {
    const bool own = profile.by_kernel || plan::product_of_core(machine, unit.number) == product;
    for (const answers::CountRow& row : unit.rows) {
      const bool is_cycles = !row.code.has_value() || row.name == kCycles;
      // A row without a code is the fixed counter. It is used only if it counted in the same modes as the events.
      if (!row.code.has_value() && unit.cycle_row != answers::CycleRow::as_events) continue;
      if (own) {
        add_row(row, is_cycles ? kCycles : std::string_view(row.name), counts.events);
      } else if (is_cycles) {
        counts.cycles_elsewhere = added(counts.cycles_elsewhere, row.scaled);
      }
    }
  }
  return counts;
}

std::string text_of(const std::vector<request::CoreRange>& ranges) {
  std::string text;
  for (const request::CoreRange& range : ranges) {
    if (!text.empty()) text += ',';
    text += range.first == range.last ? std::to_string(range.first) : fmt::format("{}-{}", range.first, range.last);
  }
  return text;
}

diag::Result<std::vector<KindOfCore>> kinds_with_method(const request::Measurement& wanted,
                                                        const plan::Capabilities& machine,
                                                        std::vector<std::string>& notes) {
  WPERF_TRY(std::vector<KindOfCore> kinds, kinds_of(wanted, machine));
  const pmu::Product first = kinds.front().product;
  std::erase_if(kinds, [&](const KindOfCore& kind) {
    if (kind.product.topdown_count() != 0) return false;
    notes.push_back(fmt::format("cores {} are left out: {} has no known top-down method", text_of(kind.cores),
                                kind.product.title()));
    return true;
  });
  if (kinds.empty()) return no_method(first, machine);
  return kinds;
}

std::string note_of_other_kinds(const KindOfCore& measured, const plan::Capabilities& machine) {
  std::vector<KindOfCore> others = all_kinds(machine);
  std::erase_if(others, [&](const KindOfCore& kind) { return kind.product == measured.product; });
  if (others.empty()) return {};
  std::string note = fmt::format("the program was started on core {}; its work on {} is not included",
                                 text_of(measured.cores), names_of(others));
  const auto other = std::find_if(others.begin(), others.end(),
                                  [](const KindOfCore& kind) { return kind.product.topdown_count() != 0; });
  if (other != others.end()) note += fmt::format("; to start it there, use -c {}", other->cores.front().first);
  return note;
}

}  // namespace wperf::topdown
