// SPDX-License-Identifier: BSD-3-Clause
#include "views/report/count_notes.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "ground/text/number_text.h"
#include "views/report/count_report.h"
#include "views/report/count_tables.h"

namespace wperf::report {
namespace {

bool has_cycles_of(const answers::CountProfile& profile, answers::CycleRow what) {
  const std::vector<answers::CountUnit>& cores = class_counts(profile, EventClass::core).units;
  return std::any_of(cores.begin(), cores.end(),
                     [&](const answers::CountUnit& core) { return core.cycle_row == what; });
}

template <typename Visit>
void for_each_loss(const answers::CountProfile& profile, Visit visit) {
  for (const EventClass event_class : kEventClasses) {
    for (const answers::CountUnit& unit : class_counts(profile, event_class).units) {
      if (unit.losses != 0) visit(event_class, unit);
    }
  }
}

}  // namespace

void append_notes(std::string& out, const answers::CountProfile& profile) {
  if (has_cycles_of(profile, answers::CycleRow::with_kernel)) {
    out +=
        "\nnote: cycle includes the kernel, because all counters are used by events; count fewer events to exclude "
        "it\n";
  }
  if (has_cycles_of(profile, answers::CycleRow::uncounted)) {
    out += "\nnote: cycle is not counted, because all counters are used by events; count fewer events to include it\n";
  }
  for_each_loss(profile, [&](EventClass event_class, const answers::CountUnit& unit) {
    fmt::format_to(std::back_inserter(out),
                   "\nnote: the counters of {} {} were reset by something else {}, so their counts of {} seconds are "
                   "missing; keep the machine from sleeping and end other profilers\n",
                   unit_name(event_class), unit.number, text::times(unit.losses), text::fixed(unit.lost_seconds, 3));
  });
}

std::string timeline_notes(const answers::TimelineProfile& timeline) {
  std::string out;
  if (timeline.counts.empty()) return out;
  answers::CountProfile all = timeline.counts.front();  // every count has the same units
  for (usize n = 1; n < timeline.counts.size(); ++n) {
    for (usize c = 0; c < all.classes.size(); ++c) {
      std::vector<answers::CountUnit>& units = all.classes[c].units;
      for (usize i = 0; i < units.size(); ++i) {
        const answers::CountUnit& unit = timeline.counts[n].classes[c].units[i];
        units[i].cycle_row = std::max(units[i].cycle_row, unit.cycle_row);
        units[i].losses += unit.losses;
        units[i].lost_seconds += unit.lost_seconds;
      }
    }
  }
  append_notes(out, all);
  return out;
}

void write_notes(text::JsonWriter& json, const answers::CountProfile& profile) {
  if (has_cycles_of(profile, answers::CycleRow::with_kernel) || has_cycles_of(profile, answers::CycleRow::uncounted)) {
    json.string("Cycles", has_cycles_of(profile, answers::CycleRow::uncounted) ? "not counted" : "with kernel");
  }
  bool lost = false;
  for_each_loss(profile, [&](EventClass event_class, const answers::CountUnit& unit) {
    if (!lost) {
      json.begin_array("Lost_counts");
    }
    lost = true;
    json.begin_object();
    json.string("class", class_name(event_class));
    json.integer("unit", unit.number);
    json.integer("times", unit.losses);
    json.real("seconds", unit.lost_seconds);
    json.end_object();
  });
  if (lost) json.end_array();
  if (profile.remarks.empty()) return;
  json.begin_array("Notes");
  for (const std::string& remark : profile.remarks) json.string(remark);
  json.end_array();
}

}  // namespace wperf::report
