// SPDX-License-Identifier: BSD-3-Clause
#include "machine/plan/count_parts.h"

namespace wperf::plan {
namespace {

bool needs_counter(const Entry& entry) {
  return !entry.kernel_event.has_value() || entry.kernel_event->hardware;
}

}  // namespace

std::vector<CountPlan> parts_of(const CountPlan& plan, u32 counted_at_once) {
  const std::vector<Entry>& entries = plan.schedules[index_of(EventClass::core)].entries;
  std::vector<std::vector<Entry>> parts(1);
  usize used = 0;
  for (usize begin = 0; begin < entries.size();) {
    usize end = begin + 1;
    while (entries[begin].group.has_value() && end < entries.size() && entries[end].group == entries[begin].group)
      ++end;
    usize counters = 0;
    for (usize i = begin; i < end; ++i) counters += needs_counter(entries[i]);
    if (counted_at_once != 0 && used != 0 && used + counters > counted_at_once) {
      parts.emplace_back();
      used = 0;
    }
    std::vector<Entry>& part = counters != 0 ? parts.back() : parts.front();
    part.insert(part.end(), entries.begin() + static_cast<std::ptrdiff_t>(begin),
                entries.begin() + static_cast<std::ptrdiff_t>(end));
    used += counters;
    begin = end;
  }
  if (parts.size() == 1) return {plan};
  std::vector<CountPlan> plans;
  for (std::vector<Entry>& part : parts) {
    CountPlan& one = plans.emplace_back(plan);
    Schedule& schedule = one.schedules[index_of(EventClass::core)];
    schedule.entries = std::move(part);
    schedule.counters = static_cast<u32>(schedule.entries.size());
  }
  return plans;
}

}  // namespace wperf::plan
