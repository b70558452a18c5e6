// SPDX-License-Identifier: BSD-3-Clause
// The effects of options that name events.
#include <fmt/format.h>

#include <string>
#include <utility>
#include <vector>

#include "app/cli/option_effects.h"
#include "model/request/counted_items.h"
#include "model/request/sampling_options.h"

namespace wperf::cli {

// -e is a sampling list only after `sample` or `record`.
diag::Result<void> OptionEffects::take_events(const std::string& value) {
  if (expects_samples_) return take_sampled_events(value);
  WPERF_TRY(request::EventList list, request::parse_event_list(value));
  request_.items.emplace_back(std::move(list));
  return {};
}

diag::Result<void> OptionEffects::take_sampled_events(const std::string& value) {
  request::Sampling& sampling = request_.sampling;
  if (request::is_spe_list(value)) {
    if (sampling.spe.has_value()) {
      return diag::usage_error(fmt::format("SPE is named twice: -e {} and -e {}", spe_, value),
                               "write all filters into one, such as -e arm_spe_0/ld=1,st=1/ for loads and stores");
    }
    spe_ = value;
    WPERF_TRY(sampling.spe, request::parse_spe_list(value));
    return {};
  }
  WPERF_TRY(const std::vector<request::SampledEvent> events, request::parse_sampling_list(value));
  sampling.events.insert(sampling.events.end(), events.begin(), events.end());
  return {};
}

}  // namespace wperf::cli
