// SPDX-License-Identifier: BSD-3-Clause
// Converts the user's names to event numbers, and numbers to displayed names (contract 3.1, 5.2); also perf's
// modifiers, and the names that -C defines.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "base/ints.h"
#include "ground/diag/result.h"
#include "machine/plan/kernel_words.h"
#include "machine/plan/plan.h"

namespace wperf::plan {

// Which table is searched first. An architectural name can have another number on a product. Like WindowsPerf, -e
// follows the architecture, but a product's own metrics follow the product.
enum class NameOrder { architecture_first, product_first };

diag::Result<u16> resolve_code(const request::EventToken& token, const EventCatalog& catalog, NameOrder order);

// `kernel` may be null. The hint suggests the event that was probably meant.
diag::Error unknown_event(const request::EventToken& token, const EventCatalog& catalog, const KernelEvents* kernel);

// The product's name for the number `code`. If the product has no name for it, returns the name of a -E or raw event
// that is registered for `code`, or else the architecture's name. If `code` has no name at all, or if the event was
// given as a number, returns r<hex>.
std::string shown_name(const request::EventToken& token, u16 code, const EventCatalog& catalog);

// perf's modifiers after an event name: `cycles:u`, `instructions:uk`, `cpu/event=1/ppp`. They are valid only if the
// kernel counts.
struct ModifiedName {
  std::string_view name;     // the name without modifiers
  std::string_view letters;  // empty if there are none; then `name` is the whole text
};

// "sched:sched_switch" has no modifiers, because the part after the colon has other letters.
ModifiedName split_modifiers(std::string_view text);

// `text`: the whole name, for messages.
diag::Result<EventModifiers> read_modifiers(std::string_view letters, std::string_view text);

// The text of a -C file (contract 3.6): one metric on each line, `name:event-list`; lines with `#` are comments.
struct MetricLine {
  std::string name;
  std::string definition;  // the event list without blanks; not parsed yet; empty if the line has none
};

diag::Result<std::vector<MetricLine>> parse_metric_file(std::string_view text);

}  // namespace wperf::plan
