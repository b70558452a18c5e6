// SPDX-License-Identifier: BSD-3-Clause
#include "app/measure/counter_trace.h"

namespace wperf::measure {

void for_each_counter(const answers::CountProfile& profile, const std::function<void(const os::CounterEvent&)>& visit) {
  for (const answers::ClassCounts& counts : profile.classes) {
    for (const answers::CountUnit& unit : counts.units) {
      for (const answers::CountRow& row : unit.rows) {
        visit({.core = unit.number,
               .event = row.name,
               .index = row.code.has_value() ? u32{*row.code} : os::kFixedCycleIndex,
               .note = row.note,
               .value = row.value});
      }
    }
  }
}

void trace_counters(const answers::CountProfile& profile) {
  if (os::counter_events_wanted()) for_each_counter(profile, os::write_counter_event);
}

}  // namespace wperf::measure
