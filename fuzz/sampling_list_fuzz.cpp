// SPDX-License-Identifier: BSD-3-Clause
// Arbitrary values of -e for sample and record. Intervals are never 0, numbers fit 16 bits, and planned events fit the
// machine's counters and are in the order of the report.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>
#include <utility>

#include "machine/plan/sample_plan.h"
#include "model/request/sampling_options.h"

namespace {

using wperf::u32;
using wperf::u64;
using wperf::usize;

void check_plan(const wperf::plan::SamplePlan& plan, u32 free_counters) {
  const auto& events = plan.events;
  if (events.empty() || events.size() > free_counters) std::abort();
  for (usize i = 0; i < events.size(); ++i) {
    if (events[i].interval == 0 || events[i].name.empty()) std::abort();
    if (i == 0 || events[i - 1].code == wperf::plan::kCycleEvent) continue;
    if (events[i].code == wperf::plan::kCycleEvent || events[i - 1].code > events[i].code) std::abort();
  }
}

void plan_it(wperf::request::Measurement request, u32 free_counters, bool spe) {
  wperf::plan::Capabilities machine;
  machine.core_count = 1;
  machine.counters_total = {6, 6, 4, 8};
  machine.counters_free = {free_counters, 6, 4, 8};
  machine.id_aa64dfr0 = spe ? u64{1} << 32 : 0;
  request.command = wperf::request::Command::record;
  request.pe_file = "p.exe";
  const wperf::plan::EventCatalog words;
  const auto plan = wperf::plan::make_sample_plan(request, {}, machine, words);
  if (plan.has_value()) {
    check_plan(plan.value(), free_counters);
  } else if (plan.error().text.empty()) {
    std::abort();
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
  wperf::request::Measurement request;
  if ((data[0] & 8) != 0) request.sampling.rate_hz = 1 + data[0];
  if (wperf::request::is_spe_list(text)) {
    auto list = wperf::request::parse_spe_list(text);
    if (!list.has_value()) return 0;
    if (list.value().filters.size() > text.size()) std::abort();
    request.sampling.spe = std::move(list).value();
  } else {
    auto events = wperf::request::parse_sampling_list(text);
    if (!events.has_value()) {
      if (events.error().text.empty()) std::abort();
      return 0;
    }
    for (const wperf::request::SampledEvent& event : events.value()) {
      if (event.number.value_or(0) > 0xffff || event.interval.value_or(1) == 0) std::abort();
    }
    request.sampling.events = std::move(events).value();
  }
  plan_it(std::move(request), data[0] % 7u, (data[0] & 16) != 0);
  return 0;
}
