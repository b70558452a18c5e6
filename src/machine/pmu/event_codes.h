// SPDX-License-Identifier: BSD-3-Clause
// One list of events, ascending by code: a product's or an uncore class's. Private to this room.
#pragma once
#include <optional>
#include <string_view>

#include "machine/pmu/catalogue.h"
#include "machine/pmu/tables.h"

namespace wperf::pmu {

Event event_at(tables::EventRange range, usize i);
std::optional<Event> find_event_in(tables::EventRange range, std::string_view lower_case_name);
// The first in alphabetical order where a code has two names.
std::optional<Event> find_event_in(tables::EventRange range, u16 code);

}  // namespace wperf::pmu
