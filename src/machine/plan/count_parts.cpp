// SPDX-License-Identifier: BSD-3-Clause
#include "machine/plan/count_parts.h"

#include <algorithm>
#include <utility>

namespace wperf::plan {
namespace {

bool needs_counter(const Entry& entry) {
  return !entry.kernel_event.has_value() || entry.kernel_event->hardware;
}

Entry padding_entry() {
  Entry entry;
  entry.code = kPaddingEvent;
  entry.padding = true;
  return entry;
}

usize trailing_padding(const std::vector<Entry>& ring) {
  usize count = 0;
  while (count < ring.size() && ring[ring.size() - 1 - count].padding) ++count;
  return count;
}

// A group replaces the padding at the end of the ring if there is enough of it; otherwise it is appended.
void place_group(std::vector<Entry>& ring, std::vector<Entry>& group) {
  const usize reusable = trailing_padding(ring);
  usize place = reusable >= group.size() ? ring.size() - reusable : ring.size();
  ring.resize(std::max(ring.size(), place + group.size()));
  for (Entry& member : group) ring[place++] = std::move(member);
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

std::vector<Entry> pad_schedule(std::vector<std::vector<Entry>> groups, std::vector<Entry> singles, u32 counters) {
  if (groups.empty()) return singles;
  std::vector<Entry> ring;
  usize next_single = 0;
  for (std::vector<Entry>& group : groups) {
    place_group(ring, group);
    // The gap after a group is filled with single events first, and with later groups only if there are too few single
    // events.
    while (ring.size() % counters != 0) {
      ring.push_back(next_single < singles.size() ? std::move(singles[next_single++]) : padding_entry());
    }
  }
  while (next_single < singles.size()) ring.push_back(std::move(singles[next_single++]));
  while (ring.size() % counters != 0) ring.push_back(padding_entry());
  return ring;
}

}  // namespace wperf::plan
