// SPDX-License-Identifier: BSD-3-Clause
#include "machine/pmu/event_codes.h"

#include <algorithm>

namespace wperf::pmu {
namespace {

const tables::EventText& text_of(const tables::EventRow& row) {
  return tables::kEventTexts[row.text & ~tables::kArchitecturalBit];
}

}  // namespace

Event event_at(tables::EventRange range, usize i) {
  const tables::EventRow& row = tables::kEvents[range.first + i];
  const tables::EventText& text = text_of(row);
  return {.name = tables::string(text.name),
          .title = tables::string(text.title),
          .description = tables::string(text.description),
          .code = row.code,
          .architectural = (row.text & tables::kArchitecturalBit) != 0};
}

std::optional<Event> find_event_in(tables::EventRange range, std::string_view lower_case_name) {
  const tables::EventRow* events = tables::kEvents + range.first;
  const auto name_of = [events](u16 i) { return tables::string(text_of(events[i]).name); };
  const u16* first = tables::kEventsByName + range.first;
  const u16* last = first + range.count;
  const u16* found =
      std::lower_bound(first, last, lower_case_name, [&](u16 i, std::string_view name) { return name_of(i) < name; });
  if (found == last || name_of(*found) != lower_case_name) return std::nullopt;
  return event_at(range, *found);
}

std::optional<Event> find_event_in(tables::EventRange range, u16 code) {
  const tables::EventRow* first = tables::kEvents + range.first;
  const tables::EventRow* last = first + range.count;
  const tables::EventRow* found =
      std::lower_bound(first, last, code, [](const tables::EventRow& row, u16 wanted) { return row.code < wanted; });
  if (found == last || found->code != code) return std::nullopt;
  return event_at(range, static_cast<usize>(found - first));
}

}  // namespace wperf::pmu
