// SPDX-License-Identifier: BSD-3-Clause
#include "app/measure/spe_counts.h"

#include <algorithm>
#include <iterator>
#include <string_view>

#include "app/measure/count_profile_builder.h"
#include "machine/pmu/catalogue.h"

namespace wperf::measure {
namespace {

struct PopulationEvent {
  const char* name;
  u16 code;
};
constexpr PopulationEvent kPopulationEvents[] = {
    {"sample_pop", 0x4000}, {"sample_feed", 0x4001}, {"sample_filtrate", 0x4002}, {"sample_collision", 0x4003}};

plan::CountPlan plan_of(u32 counters) {
  plan::CountPlan counts;
  plan::Schedule& schedule = counts.schedules[index_of(EventClass::core)];
  for (const PopulationEvent& event : kPopulationEvents) {
    plan::Entry entry;
    entry.name = event.name;
    entry.code = event.code;
    schedule.entries.push_back(std::move(entry));
  }
  schedule.counters = counters;
  return counts;
}

// Visits each field of a unit and of a reading once, in the order in which the recording stores them.
template <class Unit, class Visit>
void visit_unit(Unit& unit, Visit&& visit) {
  visit(unit.unit);
  visit(unit.multiplexed);
  visit(unit.rounds);
  visit(unit.enabled_ns);
  visit(unit.cycles);
  visit(unit.cycle_source);
  visit(unit.losses);
  visit(unit.lost_ns);
}
template <class Reading, class Visit>
void visit_reading(Reading& reading, Visit&& visit) {
  visit(reading.refused);
  visit(reading.value);
  visit(reading.slots);
  visit(reading.running_ns);
  visit(reading.enabled_ns);
  visit(reading.running_cycles);
  visit(reading.full_slots);
  visit(reading.full_value);
  visit(reading.squares_low);
  visit(reading.squares_high);
}

std::vector<u64> numbers_of(const readings::UnitCounts& unit) {
  std::vector<u64> numbers;
  const auto put = [&numbers](const auto& field) { numbers.push_back(static_cast<u64>(field)); };
  visit_unit(unit, put);
  for (const readings::CounterReading& reading : unit.entries) visit_reading(reading, put);
  return numbers;
}

// Missing numbers become 0.
readings::UnitCounts unit_of_numbers(const std::vector<u64>& numbers) {
  readings::UnitCounts unit;
  unit.event_class = EventClass::core;
  usize at = 0;
  const auto take = [&](auto& field) {
    using Field = std::remove_reference_t<decltype(field)>;
    if (at < numbers.size()) field = static_cast<Field>(numbers[at++]);
  };
  visit_unit(unit, take);
  unit.cycle_source = std::min(unit.cycle_source, readings::CycleSource::shared);
  while (at < numbers.size() && unit.entries.size() < std::size(kPopulationEvents)) {
    visit_reading(unit.entries.emplace_back(), take);
  }
  unit.entries.resize(std::size(kPopulationEvents));
  return unit;
}

u64 scaled(const answers::CountUnit& unit, std::string_view name) {
  for (const answers::CountRow& row : unit.rows) {
    if (row.name == name) return row.scaled;
  }
  return 0;
}

}  // namespace

plan::CountPlan population_plan(const plan::SpePlan& plan, const plan::Capabilities& machine) {
  plan::CountPlan counts = plan_of(machine.counters_free[index_of(EventClass::core)]);
  counts.cores = plan.cores;
  counts.kernel = plan.kernel;
  counts.period_ms = machine.period_default_ms;
  return counts;
}

perf_data::CountedFacts counted_facts(const plan::CountPlan& plan, const plan::Capabilities& machine,
                                      const readings::CountCapture& capture) {
  perf_data::CountedFacts counted{
      .kernel = plan.kernel,
      .has_cycles = machine.cycle_counters != 0,
      .cores = static_cast<u32>(plan.cores.size()),
      .counters = plan.schedules[index_of(EventClass::core)].counters,
      .start_ns = capture.start_ns,
      .end_ns = capture.end_ns,
      .vendor = machine.vendor.empty() ? std::string(pmu::vendor_name(machine.midr)) : machine.vendor,
      .units = {}};
  for (const readings::UnitCounts& unit : capture.units) {
    if (unit.event_class == EventClass::core) counted.units.push_back(numbers_of(unit));
  }
  return counted;
}

answers::CountProfile counted_profile(const perf_data::CountedFacts& counted) {
  plan::CountPlan plan = plan_of(counted.counters);
  // later code only checks whether there are several cores
  plan.cores.resize(counted.cores == 1 ? 1 : 2);
  plan.kernel = counted.kernel;
  plan::Capabilities machine;
  machine.vendor = counted.vendor;
  machine.cycle_counters = counted.has_cycles ? 1 : 0;
  readings::CountCapture capture{.start_ns = counted.start_ns, .end_ns = counted.end_ns, .units = {}};
  for (const std::vector<u64>& numbers : counted.units) capture.units.push_back(unit_of_numbers(numbers));
  answers::CountProfile profile = build_count_profile(plan, machine, {}, capture);
  profile.core_count = counted.cores;
  return profile;
}

operations::SpePopulation population_of(const answers::CountProfile& counting) {
  operations::SpePopulation sum;
  for (const answers::CountUnit& unit : counting.classes[index_of(EventClass::core)].units) {
    sum.operations += scaled(unit, "sample_pop");
    sum.chosen += scaled(unit, "sample_feed");
    sum.recorded += scaled(unit, "sample_filtrate");
    sum.collided += scaled(unit, "sample_collision");
  }
  return sum;
}

std::vector<u64> recorded_of_cores(const answers::CountProfile& counting,
                                   const std::vector<operations::SpeCore>& cores) {
  std::vector<u64> recorded(cores.size());
  for (const answers::CountUnit& unit : counting.classes[index_of(EventClass::core)].units) {
    for (usize i = 0; i < cores.size(); ++i) {
      if (cores[i].core == unit.number) recorded[i] = scaled(unit, "sample_filtrate");
    }
  }
  return recorded;
}

}  // namespace wperf::measure
