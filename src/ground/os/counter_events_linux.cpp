// SPDX-License-Identifier: BSD-3-Clause
#include "ground/os/counter_events.h"

namespace wperf::os {

bool counter_events_wanted() {
  return false;
}

void write_counter_event(const CounterEvent&) {}

std::string_view counter_events_feature() {
  return {};
}

}  // namespace wperf::os
