// SPDX-License-Identifier: BSD-3-Clause
// Arbitrary texts of -E. A refused text leaves the catalog unchanged; accepted events can be found by name and by
// number.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "machine/pmu/extra_events.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  wperf::pmu::ExtraEvents events;
  const bool accepted = events.parse(text).has_value();
  if (accepted == events.all().empty()) std::abort();
  for (const wperf::pmu::ExtraEvent& event : events.all()) {
    if (events.find(event.event_class, event.code) != &event) std::abort();
    if (events.find(event.event_class, event.name) == nullptr) std::abort();
  }
  return 0;
}
