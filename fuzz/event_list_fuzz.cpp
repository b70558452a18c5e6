// SPDX-License-Identifier: BSD-3-Clause
// Arbitrary lists of events to count. Groups are numbered without gaps, contiguous and of one class; event numbers fit
// 16 bits; an accepted list is scheduled without splitting a group.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "machine/plan/plan.h"
#include "model/request/counted_items.h"

namespace {

using wperf::u32;
using wperf::usize;

void check_list(const wperf::request::EventList& list) {
  u32 next_group = 0;
  for (usize i = 0; i < list.tokens.size(); ++i) {
    const wperf::request::EventToken& token = list.tokens[i];
    if (token.number.value_or(0) > 0xffff) std::abort();
    if (!token.group.has_value()) continue;
    if (!wperf::request::continues_group(list, i)) {
      if (*token.group != next_group++) std::abort();
    } else if (token.event_class != list.tokens[i - 1].event_class) {
      std::abort();
    }
  }
}

void check_schedule(const wperf::plan::Schedule& schedule) {
  const auto& entries = schedule.entries;
  for (usize i = 1; i < entries.size(); ++i) {
    const bool one_group = entries[i].group.has_value() && entries[i].group == entries[i - 1].group;
    if (one_group && i % schedule.counters == 0) std::abort();
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
  auto list = wperf::request::parse_event_list(text);
  if (!list.has_value()) {
    if (list.error().text.empty()) std::abort();
    return 0;
  }
  check_list(list.value());

  wperf::plan::Capabilities machine;
  machine.core_count = 1;
  machine.counters_total = {6, 6, 4, 8};
  machine.counters_free = {data[0] % 7u, 6, 4, 8};
  wperf::plan::EventCatalog words;
  wperf::request::Measurement request;
  request.items.emplace_back(std::move(list).value());
  const auto plan = wperf::plan::make_count_plan(request, machine, words);
  if (!plan.has_value()) return 0;
  for (const wperf::plan::Schedule& schedule : plan.value().schedules) check_schedule(schedule);
  return 0;
}
