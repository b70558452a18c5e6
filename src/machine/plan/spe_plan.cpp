// SPDX-License-Identifier: BSD-3-Clause
#include "machine/plan/spe_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include "machine/plan/sampled_cores.h"
#include "machine/plan/spe_filters.h"

namespace wperf::plan {
namespace {

diag::Error lacks(std::string_view what) {
  return {.text = fmt::format("the SPE of this machine cannot filter by {}", what),
          .hint = "leave out that filter; you can filter in the report instead"};
}

diag::Result<void> check_abilities(const SpePlan& plan, const Capabilities& machine) {
  const u64 pmsidr = machine.pmsidr;
  if (!machine.why_no_spe.empty()) {
    return diag::Error{.text = machine.why_no_spe,
                       .hint = "sample an event instead, or use wperf's own driver: --device driver"};
  }
  if (pmsidr == 0) {
    return diag::Error{.text = "this machine has SPE, but wperf cannot use it",
                       .hint = "a hypervisor or the firmware blocks it; sample an event instead"};
  }
  const SpeAbilities abilities = spe_abilities(pmsidr);
  if ((plan.loads || plan.stores || plan.branches) && !abilities.filters_types) return lacks("type of operation");
  if (plan.events != 0 && !abilities.filters_events) return lacks("event");
  if (plan.not_events != 0 && !abilities.filters_absent_events) return lacks("absent event");
  if (plan.min_latency != 0 && !abilities.filters_latency) return lacks("latency");
  const u32 greatest = (1u << abilities.latency_bits) - 1;
  if (plan.min_latency > greatest) {
    return diag::contract_error(fmt::format("SPE filter 'min_latency' value out of range, use: 0-{}", greatest));
  }
  if (plan.interval < abilities.least_interval) {
    return diag::contract_error(fmt::format("SPE filter 'interval' value out of range, use: {}-{}",
                                            abilities.least_interval, kGreatestSpeInterval));
  }
  return {};
}

// Options for samples by overflow, which would be dropped silently.
diag::Result<void> check_nothing_else(const request::Sampling& sampling) {
  const auto refusal = [](std::string text, std::string hint) {
    return diag::Error{.text = std::move(text), .hint = std::move(hint), .code = diag::ExitCode::usage};
  };
  if (!sampling.events.empty()) {
    return refusal("SPE and counter events cannot be sampled at the same time", "run wperf twice");
  }
  if (sampling.rate_hz.has_value()) {
    return refusal("--freq adapts the intervals of counters, which SPE does not use",
                   "use the filter interval=, a number of operations");
  }
  const auto& tables = sampling.display.by;
  if (std::find(tables.begin(), tables.end(), request::Breakdown::caller) != tables.end()) {
    return refusal("SPE records contain no callers", "leave `caller` out of --by");
  }
  return {};
}

// Options that need times turn on their recording.
diag::Result<void> add_times(const request::SampleDisplay& display, const request::RecordingView& view,
                             const Capabilities& machine, SpePlan& plan) {
  const bool timeline = display.timeline_ms.has_value();
  if (!timeline && !view.time.has_value()) return {};
  plan.timestamps = true;
  if (machine.kernel != nullptr || machine.timer.hz != 0) return {};
  return diag::Error{
      .text =
          fmt::format("{} needs the time of SPE records, and this driver does not report the frequency of their clock",
                      timeline ? "--timeline" : "--time"),
      .hint = "install the driver that came with this wperf",
      .code = diag::ExitCode::usage};
}

}  // namespace

diag::Result<SpePlan> make_spe_plan(const request::Measurement& wanted, const request::RecordingView& view,
                                    const Capabilities& machine) {
  SpePlan plan;
  WPERF_TRY(NamedCores cores, name_cores(wanted, machine.core_count));
  WPERF_CHECK_OK(check_no_counting_list(wanted.items));
  const request::SpeList& list = *wanted.sampling.spe;
  WPERF_CHECK_OK(check_spe(list, machine));
  plan.interval = std::max(plan.interval, spe_abilities(machine.pmsidr).least_interval);
  WPERF_CHECK_OK(check_nothing_else(wanted.sampling));
  for (const request::SpeFilter& given : list.filters) find_spe_setting(given.name)->apply(plan, given.value);
  WPERF_CHECK_OK(check_abilities(plan, machine));
  WPERF_CHECK_OK(add_times(wanted.sampling.display, view, machine, plan));
  WPERF_TRY(SampledCores placed, machine.kernel != nullptr
                                     ? place_by_kernel(std::move(cores), wanted.program.has_value(), machine.core_count)
                                     : place_on_cores(std::move(cores), wanted, machine.core_count));
  plan.cores = std::move(placed.cores);
  plan.program_core = placed.program_core;
  if (plan.cores.size() > kFewCores) plan.buffer_bytes = kSmallSpeBuffer;
  plan.kernel = wanted.kernel;
  plan.display = wanted.sampling.display;
  return plan;
}

}  // namespace wperf::plan
