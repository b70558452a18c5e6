// SPDX-License-Identifier: BSD-3-Clause
// The answer of a database: as a whole, and host by host. The hosts together have no more samples than the whole.
#include <span>

#include "formats/profiles/fleet_profile.h"
#include "fuzz/consistent_profile.h"

extern "C" int LLVMFuzzerTestOneInput(const wperf::u8* data, wperf::usize size) {
  using namespace wperf;
  if (size == 0) return 0;
  const std::span<const std::byte> file = std::as_bytes(std::span(data + 1, size - 1));
  u64 passed = 0;
  auto read = profiles::read_fleet(file, {.lines = (data[0] & 1) != 0}, [&](u64 end) { passed = end; });
  fuzz::hold(passed <= file.size());
  if (!read.has_value()) {
    fuzz::hold(!read.error().text.empty());
    return 0;
  }
  profiles::FleetProfile& fleet = read.value();
  fuzz::check_profile(fleet.whole.profile);
  u64 samples = 0, of_hosts = 0;
  for (const auto& event : fleet.whole.profile.events) samples += event.samples;
  for (usize host = 0; host < fleet.hosts.size(); ++host) {
    fleet.keep_only(host);
    fuzz::check_profile(fleet.whole.profile);
    for (const auto& event : fleet.whole.profile.events) of_hosts += event.samples;
  }
  // With several events, the sum over all events may wrap.
  fuzz::hold(fleet.whole.profile.events.size() > 1 || of_hosts <= samples);
  return 0;
}
