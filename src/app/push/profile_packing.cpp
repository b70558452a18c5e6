// SPDX-License-Identifier: BSD-3-Clause
#include "app/push/profile_packing.h"

#include <algorithm>

#include "views/exports/writers.h"

namespace wperf::push {
namespace {

// As OpenTelemetry's conventions spell it.
std::string otlp_name(const std::string& name) {
  return name == "service_name" ? "service.name" : name;
}

}  // namespace

PackedProfile packed_profile(exports::Source source, request::PushTarget target,
                             const std::vector<request::PushLabel>& labels, const ProfileTime& time) {
  PackedProfile packed{.bytes = {},
                       .sample_types = {},
                       .begin_unix_ns = time.begin_unix_ns,
                       .end_unix_ns = std::max(time.end_unix_ns, time.begin_unix_ns)};
  const exports::TakeBytes take = [&](std::string_view part) { packed.bytes += part; };
  source.begin_unix_ns = time.begin_unix_ns;
  if (target == request::PushTarget::otlp) {
    for (const request::PushLabel& label : labels) {
      // It names the kind of a profile only for Prometheus-like servers.
      if (label.name != "__name__") source.attributes.emplace_back(otlp_name(label.name), label.value);
    }
    exports::write_otlp(source, take);
    return packed;
  }
  for (const u32 event : exports::used_events(source.profile)) {
    const std::string name = exports::clean_text(source.profile.events[event].name);
    packed.sample_types.push_back(name + ".samples");
    packed.sample_types.push_back(name);
  }
  exports::write_pprof(source, take);
  return packed;
}

std::string program_of(const stacks::StackProfile& profile) {
  std::vector<u64> samples(profile.names.size(), 0);
  for (const stacks::StackSample& sample : profile.samples) samples[profile.tasks[sample.task].name] += sample.count;
  const auto most = std::max_element(samples.begin(), samples.end());
  if (most == samples.end() || *most == 0) return {};
  std::string name;
  for (const char c : profile.names[static_cast<usize>(most - samples.begin())]) {
    name += static_cast<u8>(c) > ' ' && static_cast<u8>(c) < 0x7f ? c : '_';
  }
  return name;
}

}  // namespace wperf::push
