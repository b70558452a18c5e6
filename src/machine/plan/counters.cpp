// SPDX-License-Identifier: BSD-3-Clause
#include "machine/plan/counters.h"

#include <fmt/format.h>

#include "model/request/counted_items.h"

namespace wperf::plan {
namespace {

constexpr usize kMaxEvents[kEventClassCount] = {WPERF_MAX_CORE_EVENTS, WPERF_MAX_DSU_EVENTS, WPERF_MAX_DMC_CLK_EVENTS,
                                                WPERF_MAX_DMC_CLKDIV2_EVENTS};

diag::Error too_many(EventClass event_class, usize size, usize limit) {
  return diag::contract_error(
      fmt::format("error: too many {} (including padding) events: {} > {}", class_name(event_class), size, limit));
}

}  // namespace

diag::Result<void> check_set_up(EventClass event_class, const Capabilities& machine) {
  if (!machine.foreign_driver.empty() || event_class == EventClass::core) return {};
  const bool dsu = event_class == EventClass::dsu;
  const u32 named = dsu ? machine.named_clusters : machine.named_dmc_channels;
  const u32 known = dsu ? machine.cluster_count : machine.dmc_channels;
  if (named == 0 || known != 0) return {};
  return diag::Error{
      .text = fmt::format("only administrators may count in {}, because the driver needs their addresses",
                          dsu ? "the clusters (DSU)" : "the memory controllers (DMC)"),
      .hint = "run wperf as administrator"};
}

diag::Result<void> check_counters_answer(const Capabilities& machine) {
  if (machine.why_no_counters.empty()) return {};
  return diag::Error{.text = machine.why_no_counters,
                     .hint = "enable its virtual PMU, or measure on the physical machine",
                     .code = diag::ExitCode::no_device};
}

diag::Result<void> check_group_size(EventClass event_class, usize size, const Capabilities& machine) {
  const u32 total = machine.counters_total[index_of(event_class)];
  const u32 available = machine.counters_free[index_of(event_class)];
  if (size > total) {
    return diag::contract_error(
        fmt::format("event group size({}) exceeds number of hardware PMU counters({})", size, total));
  }
  if (size > available) {
    return diag::contract_error(
        fmt::format("event group size({}) exceeds number of free hardware PMU counters({}) out of a total of ({})",
                    size, available, total));
  }
  return {};
}

diag::Result<void> check_class_available(EventClass event_class, const Capabilities& machine) {
  if (machine.counters_free[index_of(event_class)] != 0) return {};
  const std::string_view name = class_name(event_class);
  const u32 total = machine.counters_total[index_of(event_class)];
  if (event_class == EventClass::core) WPERF_CHECK_OK(check_counters_answer(machine));
  WPERF_CHECK_OK(check_set_up(event_class, machine));
  if (total == 0) {
    return diag::Error{.text = fmt::format("this machine has no {} counters", name),
                       .hint = "`wperf test` shows the counters of every class"};
  }
  return diag::Error{.text = fmt::format("none of the {} {} counters is free", total, name),
                     .hint = "end the other profiler or debugger that uses them"};
}

diag::Result<void> check_schedule_size(EventClass event_class, usize size) {
  const usize limit = kMaxEvents[index_of(event_class)];
  if (size > limit) return too_many(event_class, size, limit);
  // In the driver's table, one place of each core is reserved for the cycle counter.
  if (event_class == EventClass::core && size == limit) return too_many(event_class, size, limit - 1);
  return {};
}

diag::Result<void> check_sampled_events(usize size, const Capabilities& machine) {
  WPERF_CHECK_OK(check_counters_answer(machine));
  const u32 total = machine.counters_total[index_of(EventClass::core)];
  const u32 available = machine.counters_free[index_of(EventClass::core)];
  if (size > total) {
    return diag::contract_error(
        fmt::format("number of events requested exceeds the number of hardware PMU counters({})", total));
  }
  if (size > available) {
    return diag::contract_error(fmt::format(
        "number of events requested exceeds the number of free hardware PMU counters({}) out of a total of ({})",
        available, total));
  }
  return {};
}

diag::Result<void> check_sampling_in_virtual_machine(bool is_virtual, bool forced) {
  if (!is_virtual || forced) return {};
  return diag::Error{.text = "this Windows runs in a virtual machine, where sampling has crashed Windows on Arm",
                     .hint = "to sample anyway, save your work and add --force-lock",
                     .code = diag::ExitCode::no_device};
}

}  // namespace wperf::plan
