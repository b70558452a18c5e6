// SPDX-License-Identifier: BSD-3-Clause
#include "machine/plan/names.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <vector>

#include "base/ascii.h"
#include "base/ints.h"
#include "ground/diag/nearest.h"
#include "ground/text/parts.h"

namespace wperf::plan {
namespace {

// Armv8's list, followed by Armv9's additions if the core has Armv9.
template <typename NameOrCode>
std::optional<pmu::Event> find_in_architecture(NameOrCode wanted, pmu::Product product) {
  const std::optional<pmu::Event> event = pmu::architectural().find_event(wanted);
  if (event.has_value() || !product.architecture().starts_with("armv9")) return event;
  return pmu::find_product("armv9-a").value().find_event(wanted);
}

std::optional<pmu::Event> find_by_name(EventClass event_class, std::string_view name, pmu::Product product,
                                       NameOrder order) {
  if (event_class != EventClass::core) return pmu::find_uncore_event(event_class, name);
  const bool product_first = order == NameOrder::product_first;
  const std::optional<pmu::Event> event =
      product_first ? product.find_event(name) : find_in_architecture(name, product);
  if (event.has_value()) return event;
  return product_first ? find_in_architecture(name, product) : product.find_event(name);
}

// The names that -e accepts, without numbers.
void append_names(std::vector<std::string_view>& names, EventClass event_class, const EventCatalog& catalog) {
  for (const pmu::ExtraEvent& extra : catalog.extra.all()) {
    if (extra.event_class == event_class) names.push_back(extra.name);
  }
  if (event_class != EventClass::core) {
    for (usize i = 0; i < pmu::uncore_event_count(event_class); ++i) {
      names.push_back(pmu::uncore_event(event_class, i).name);
    }
    return;
  }
  for (const pmu::Product product : {catalog.product, pmu::architectural()}) {
    for (usize i = 0; i < product.event_count(); ++i) names.push_back(product.event(i).name);
  }
}

// All of perf's letters; read_modifiers rejects letters that wperf does not support.
constexpr std::string_view kLetters = "ukhGHpPSDWIeb";
constexpr u8 kMostPrecision = 3;

bool are_modifiers(std::string_view letters) {
  return !letters.empty() &&
         std::all_of(letters.begin(), letters.end(), [](char c) { return kLetters.find(c) != std::string_view::npos; });
}

constexpr std::string_view kBlanks = " \t\r\v\f";
// Windows editors write this at the beginning of UTF-8 files.
constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";

std::string_view trimmed(std::string_view text) {
  const usize first = text.find_first_not_of(kBlanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kBlanks) - first + 1);
}

std::string without_blanks(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (kBlanks.find(c) == std::string_view::npos) out += c;
  }
  return out;
}

}  // namespace

diag::Result<u16> resolve_code(const request::EventToken& token, const EventCatalog& catalog, NameOrder order) {
  const pmu::ExtraEvent* extra = catalog.extra.find(token.event_class, std::string_view(token.text));
  if (extra != nullptr) return extra->code;
  if (token.number.has_value()) return static_cast<u16>(*token.number);
  const auto event = find_by_name(token.event_class, in_lower_case(std::string(token.text)), catalog.product, order);
  if (event.has_value()) return event->code;
  return unknown_event(token, catalog, nullptr);
}

diag::Error unknown_event(const request::EventToken& token, const EventCatalog& catalog, const KernelEvents* kernel) {
  diag::Error error = diag::contract_error(fmt::format("unknown event name: {}", token.text));
  std::vector<KernelEvents::Word> words;
  std::vector<std::string_view> names;
  if (kernel != nullptr) words = kernel->words(true);
  for (const KernelEvents::Word& word : words) names.push_back(word.name);
  if (kernel == nullptr || kernel->counts_catalogue()) append_names(names, token.event_class, catalog);
  const bool lacks_catalogue = kernel != nullptr && !kernel->is_windows() && !kernel->counts_catalogue();
  const std::string name = in_lower_case(std::string(token.text));
  if (lacks_catalogue && find_by_name(token.event_class, name, catalog.product, NameOrder::product_first).has_value()) {
    error.hint = fmt::format(
        "{} is an event of Arm cores, and this system has no such counters; `wperf list` shows what it counts, "
        "and --device sim has a simulated Arm machine",
        token.text);
    return error;
  }
  if (name.starts_with("arm_spe")) {
    error.hint = "SPE is for record and sample, as the only event: -e arm_spe_0//, with filters between the slashes";
    return error;
  }
  error.hint = diag::did_you_mean(diag::nearest(token.text, names));
  if (error.hint.empty()) {
    error.hint = kernel == nullptr || kernel->is_windows()
                     ? "`wperf list` shows the names"
                     : "`wperf list` shows the names; unit/terms/ and system:tracepoint are also allowed";
  }
  return error;
}

std::string shown_name(const request::EventToken& token, u16 code, const EventCatalog& catalog) {
  const bool of_core = token.event_class == EventClass::core;
  std::optional<pmu::Event> event =
      of_core ? catalog.product.find_event(code) : pmu::find_uncore_event(token.event_class, code);
  if (event.has_value()) return std::string(event->name);
  const pmu::ExtraEvent* extra = catalog.extra.find(token.event_class, code);
  if (extra != nullptr) return extra->name;
  if (of_core && !token.number.has_value()) event = find_in_architecture(code, catalog.product);
  return event.has_value() ? std::string(event->name) : fmt::format("r{:x}", code);
}

ModifiedName split_modifiers(std::string_view text) {
  const usize slash = text.rfind('/'), colon = text.rfind(':');
  const bool behind_unit = slash != std::string_view::npos && slash != 0 && slash + 1 < text.size();
  if (behind_unit && text[slash + 1] != ':') {
    const std::string_view letters = text.substr(slash + 1);
    return are_modifiers(letters) ? ModifiedName{text.substr(0, slash + 1), letters} : ModifiedName{text, {}};
  }
  if (colon == std::string_view::npos || colon == 0) return {text, {}};
  if (slash != std::string_view::npos && colon < slash) return {text, {}};
  const std::string_view letters = text.substr(colon + 1);
  return are_modifiers(letters) ? ModifiedName{text.substr(0, colon), letters} : ModifiedName{text, {}};
}

diag::Result<EventModifiers> read_modifiers(std::string_view letters, std::string_view text) {
  EventModifiers modifiers;
  for (const char letter : letters) {
    switch (letter) {
      case 'u':
        modifiers.user = true;
        break;
      case 'k':
        modifiers.kernel = true;
        break;
      case 'h':
        modifiers.hypervisor = true;
        break;
      case 'p':
        modifiers.precision = static_cast<u8>(std::min<u32>(modifiers.precision + 1u, kMostPrecision));
        break;
      case 'P':
        modifiers.precision = kMostPrecision;
        break;
      default:
        return diag::usage_error(
            fmt::format("wperf does not support the modifier '{}' of {}", letter, text),
            "u, k and h select user mode, kernel mode and hypervisor; p, pp and ppp ask for less skid");
    }
  }
  return modifiers;
}

diag::Result<std::vector<MetricLine>> parse_metric_file(std::string_view text) {
  if (text.substr(0, kByteOrderMark.size()) == kByteOrderMark) text.remove_prefix(kByteOrderMark.size());
  std::vector<MetricLine> metrics;
  while (!text.empty()) {
    std::string_view line = trimmed(text::take_part(text, '\n'));
    if (line.empty() || line[0] == '#') continue;
    const std::string_view name = trimmed(text::take_part(line, ':'));
    const std::string_view definition = text::take_part(line, ':');
    if (!line.empty()) {
      return diag::contract_error(
          fmt::format("unrecognized config component '{}'", trimmed(text::take_part(line, ':'))));
    }
    metrics.push_back({std::string(name), without_blanks(definition)});
  }
  return metrics;
}

}  // namespace wperf::plan
