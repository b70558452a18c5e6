// SPDX-License-Identifier: BSD-3-Clause
// The user's words → event codes, and codes → the displayed names (contract 3.1, 5.2); perf's modifiers, and the
// names that -C defines.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "base/ints.h"
#include "ground/diag/result.h"
#include "machine/plan/kernel_words.h"
#include "machine/plan/plan.h"

namespace wperf::plan {

// Which table is searched first. An architectural name can have another code on a product: -e follows the architecture
// as WindowsPerf does, a product's own metrics follow the product.
enum class NameOrder { architecture_first, product_first };

diag::Result<u16> resolve_code(const request::EventToken& token, const EventCatalog& catalog, NameOrder order);

// `kernel` may be null. The hint names the event that may have been meant.
diag::Error unknown_event(const request::EventToken& token, const EventCatalog& catalog, const KernelEvents* kernel);

// The product's name of the code that `token` stands for. If there is none, the name of a -E or raw event registered
// for it, then the architecture's name. Otherwise, and for an event given as a number, r<hex>.
std::string shown_name(const request::EventToken& token, u16 code, const EventCatalog& catalog);

// perf's modifiers after the name of an event: `cycles:u`, `instructions:uk`, `cpu/event=1/ppp`. They are valid only
// where the kernel counts.
struct ModifiedName {
  std::string_view name;     // without them
  std::string_view letters;  // empty if there are none; then `name` is the whole text
};

// "sched:sched_switch" has no modifiers: the part after the colon is not a set of such letters.
ModifiedName split_modifiers(std::string_view text);

// `text`: the whole word, for messages.
diag::Result<EventModifiers> read_modifiers(std::string_view letters, std::string_view text);

// The text of a -C file (contract 3.6): one metric per line, `name:event-list`, `#` lines are comments.
struct MetricLine {
  std::string name;
  std::string definition;  // the event list without blanks; not yet parsed, empty if the line has none
};

diag::Result<std::vector<MetricLine>> parse_metric_file(std::string_view text);

}  // namespace wperf::plan
