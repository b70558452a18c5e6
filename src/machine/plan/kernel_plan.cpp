// SPDX-License-Identifier: BSD-3-Clause
#include "machine/plan/kernel_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "machine/plan/counters.h"
#include "machine/plan/names.h"
#include "model/request/counted_items.h"

namespace wperf::plan {
namespace {

constexpr u32 kRawType = 4;

diag::Error no_counters_for(std::string_view event, const KernelEvents& kernel) {
  return {.text = fmt::format("{} needs a hardware counter: {}", event, kernel.why_no_cycles()),
          .hint = kernel.way_to_counters(),
          .code = diag::ExitCode::no_device};
}

// The number to be printed; the kernel's numbers are wider than the catalogue's.
u16 shown_code(const KernelEvent& event) {
  return static_cast<u16>(event.config);
}

// Windows has no such modifiers.
diag::Result<request::EventToken> without_modifiers(const request::EventToken& asked, const KernelEvents& kernel,
                                                    EventModifiers& modifiers) {
  const ModifiedName split = split_modifiers(asked.text);
  if (split.letters.empty() || kernel.is_windows()) return asked;
  WPERF_TRY(modifiers, read_modifiers(split.letters, asked.text));
  request::EventToken token = asked;
  token.text = std::string(split.name);
  WPERF_TRY(token.number, request::parse_raw_event(split.name));
  return token;
}

}  // namespace

diag::Result<std::optional<Entry>> make_kernel_entry(const request::EventToken& asked, const Capabilities& machine,
                                                     EventCatalog& catalog) {
  const KernelEvents& kernel = *machine.kernel;
  if (asked.event_class != EventClass::core) return std::optional<Entry>{};
  Entry entry;
  WPERF_TRY(const request::EventToken token, without_modifiers(asked, kernel, entry.modifiers));
  entry.name = asked.text;
  const auto code = resolve_code(token, catalog, NameOrder::architecture_first);
  if (kernel.counts_catalogue() && code.has_value()) {
    if (!kernel.has_counters()) return no_counters_for(token.text, kernel);
    if (token.text.size() == asked.text.size()) return std::optional<Entry>{};
    entry.code = code.value();
    return std::optional<Entry>(std::move(entry));
  }
  const pmu::ExtraEvent* extra = catalog.extra.find(token.event_class, std::string_view(token.text));
  if (extra != nullptr || token.number.has_value()) {
    const u32 number = extra != nullptr ? extra->code : *token.number;
    entry.kernel_event = KernelEvent{.type = kRawType, .config = number, .hardware = true, .cores = {}};
  } else {
    WPERF_TRY(entry.kernel_event, kernel.find(token.text));
  }
  if (!entry.kernel_event.has_value()) return unknown_event(token, catalog, &kernel);
  if (entry.kernel_event->hardware && !kernel.has_counters()) return no_counters_for(token.text, kernel);
  if (!entry.kernel_event->cores.empty() && entry.modifiers.choose_modes()) {
    return diag::usage_error(fmt::format("{} counts outside the cores, where modifiers do not apply", token.text),
                             fmt::format("leave out the modifiers of {}", asked.text));
  }
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

diag::Result<void> check_process(const request::Measurement& wanted, const Capabilities& machine) {
  if (!wanted.process.has_value()) return {};
  if (machine.kernel == nullptr) {
    return diag::usage_error("-p is not supported by this device, which measures cores and not single programs",
                             "use -c, or name the program with --image_name (sample)");
  }
  if (wanted.program.has_value() || !wanted.cores.empty()) {
    return diag::usage_error("-p cannot be combined with -c or with a program to start", "leave one of them out");
  }
  return {};
}

}  // namespace wperf::plan
