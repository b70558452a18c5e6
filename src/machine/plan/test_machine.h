// SPDX-License-Identifier: BSD-3-Clause
// The machine for the tests of this room: 8 Neoverse N1 cores in clusters of two, 6 counters, a DSU and two DMC
// channels.
#pragma once
#include "machine/plan/plan.h"
#include "model/request/counted_items.h"

namespace wperf::plan {

inline constexpr u64 kNeoverseN1 = 0x413fd0c1;
inline constexpr u64 kNeoverseN2 = 0x410fd490;
inline constexpr u64 kNeoverseV1 = 0x411fd401;
inline constexpr u64 kCortexX1C = 0x410fd4c0;
inline constexpr u64 kUnknownCpu = 0x7f0f1230;

inline Capabilities test_machine(u64 midr = kNeoverseN1, u32 free_counters = 6) {
  Capabilities machine;
  machine.midr = midr;
  machine.core_count = 8;
  machine.counters_total = {6, 6, 4, 8};
  machine.counters_free = {free_counters, 6, 4, 8};
  machine.cluster_count = 4;
  machine.cluster_size = 2;
  machine.dmc_channels = 2;
  return machine;
}

inline request::EventList event_list(std::string_view text) {
  return request::parse_event_list(text).value();
}

inline EventCatalog catalog_of(const Capabilities& machine) {
  return make_event_catalog(machine, {}, {}).value();
}

}  // namespace wperf::plan
