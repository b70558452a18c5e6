// SPDX-License-Identifier: BSD-3-Clause
// Counting lists (contract 3.1): `inst_spec,{ld_spec,st_spec},r1b,/dsu/{l3d_cache,/dsu/l3d_cache_refill}`. The grammar
// of -e for stat and test, of metric files and of built-in metrics. Names are not looked up here.
#pragma once
#include <optional>
#include <string>
#include <string_view>

#include "ground/diag/result.h"
#include "model/request/counted_items.h"

namespace wperf::request {

// core, dsu, dmc_clk, dmc_clkdiv2.
std::string_view class_name(EventClass event_class);

// Token i belongs to the group of the token before it.
bool continues_group(const EventList& list, usize i);

// r1b, 27, 0x1b, 033. nullopt for a name. Text that only starts like a number is also a name, which plan will not find.
diag::Result<std::optional<u32>> parse_raw_event(std::string_view text);

diag::Result<EventList> parse_event_list(std::string_view text);

// Two commas in a row, `{}`, `:100`: mistakes in a list to count or to sample.
diag::Error nameless_event(std::string_view list);

}  // namespace wperf::request
