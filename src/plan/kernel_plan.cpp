// SPDX-License-Identifier: BSD-3-Clause
#include "plan/kernel_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "plan/counters.h"
#include "plan/names.h"

namespace wperf::plan {
namespace {

constexpr u32 kRawType = 4;

diag::Error no_counters_for(std::string_view event) {
  return {.text = fmt::format("this machine shows no hardware counters, and {} needs one", event),
          .hint =
              "in a virtual machine the host must pass them through; software events such as cpu-clock, page-faults "
              "and context-switches need none (`wperf list`, `wperf doctor`)",
          .code = diag::ExitCode::no_device};
}

bool in_catalogue(const request::EventToken& token, const EventCatalog& catalog) {
  return resolve_code(token, catalog, NameOrder::architecture_first).has_value();
}

// The number that is shown; the kernel's are wider than those of the catalogue.
u16 shown_code(const KernelEvent& event) {
  return static_cast<u16>(event.config);
}

}  // namespace

diag::Result<std::optional<Entry>> make_kernel_entry(const request::EventToken& token, const Capabilities& machine,
                                                     EventCatalog& catalog) {
  const KernelEvents& kernel = *machine.kernel;
  if (token.event_class != EventClass::core) return std::optional<Entry>{};
  const bool catalogue = kernel.counts_catalogue() && in_catalogue(token, catalog);
  if (catalogue) {
    if (!kernel.has_counters()) return no_counters_for(token.text);
    return std::optional<Entry>{};
  }
  Entry entry;
  entry.name = token.text;
  const pmu::ExtraEvent* extra = catalog.extra.find(token.event_class, std::string_view(token.text));
  if (extra != nullptr || token.number.has_value()) {
    const u32 number = extra != nullptr ? extra->code : *token.number;
    entry.kernel_event = KernelEvent{.type = kRawType, .config = number, .hardware = true, .cores = {}};
  } else {
    WPERF_TRY(entry.kernel_event, kernel.find(token.text));
  }
  if (!entry.kernel_event.has_value()) return unknown_event(token, catalog, &kernel);
  if (entry.kernel_event->hardware && !kernel.has_counters()) return no_counters_for(token.text);
  entry.code = shown_code(*entry.kernel_event);
  return std::optional<Entry>(std::move(entry));
}

diag::Result<Schedule> kernel_schedule(std::vector<std::vector<Entry>> groups, std::vector<Entry> singles,
                                       const Capabilities& machine) {
  Schedule schedule;
  for (std::vector<Entry>& group : groups) {
    const auto needs_counter = [](const Entry& entry) {
      return !entry.kernel_event.has_value() || (entry.kernel_event->hardware && entry.kernel_event->cores.empty());
    };
    const auto counters = static_cast<usize>(std::count_if(group.begin(), group.end(), needs_counter));
    if (counters != 0) WPERF_CHECK_OK(check_group_size(EventClass::core, counters, machine));
    for (Entry& entry : group) schedule.entries.push_back(std::move(entry));
  }
  for (Entry& entry : singles) schedule.entries.push_back(std::move(entry));
  schedule.counters = static_cast<u32>(schedule.entries.size());
  return schedule;
}

diag::Result<void> check_process(const request::Request& request, const Capabilities& machine) {
  if (!request.process.has_value()) return {};
  if (machine.kernel == nullptr) {
    return diag::Error{.text = "this device measures cores, not single programs: it does not take -p",
                       .hint = "use -c, or name the program with --image_name (sample)",
                       .code = diag::ExitCode::usage};
  }
  if (request.program.has_value() || !request.cores.empty()) {
    return diag::Error{.text = "-p names what is measured; it does not go with -c or a program to start",
                       .hint = "leave one of them out",
                       .code = diag::ExitCode::usage};
  }
  return {};
}

}  // namespace wperf::plan
