// SPDX-License-Identifier: BSD-3-Clause
#include "plan/names.h"

#include <fmt/format.h>

#include <optional>

#include "base/ascii.h"

namespace wperf::plan {
namespace {

std::optional<pmu::Event> find_by_name(EventClass event_class, std::string_view name, pmu::Product product,
                                       NameOrder order) {
  if (event_class != EventClass::core) return pmu::find_uncore_event(event_class, name);
  const bool product_first = order == NameOrder::product_first;
  const pmu::Product first = product_first ? product : pmu::architectural();
  const pmu::Product second = product_first ? pmu::architectural() : product;
  const std::optional<pmu::Event> event = first.find_event(name);
  return event.has_value() ? event : second.find_event(name);
}

}  // namespace

diag::Result<u16> resolve_code(const request::EventToken& token, const Vocabulary& vocabulary, NameOrder order) {
  const pmu::ExtraEvent* extra = vocabulary.extra.find(token.event_class, std::string_view(token.text));
  if (extra != nullptr) return extra->code;
  if (token.number.has_value()) return static_cast<u16>(*token.number);
  const auto event = find_by_name(token.event_class, in_lower_case(std::string(token.text)), vocabulary.product, order);
  if (event.has_value()) return event->code;
  return diag::contract_error(fmt::format("unknown event name: {}", token.text));
}

std::string shown_name(EventClass event_class, u16 code, const Vocabulary& vocabulary) {
  const std::optional<pmu::Event> event =
      event_class == EventClass::core ? vocabulary.product.find_event(code) : pmu::find_uncore_event(event_class, code);
  if (event.has_value()) return std::string(event->name);
  const pmu::ExtraEvent* extra = vocabulary.extra.find(event_class, code);
  if (extra != nullptr) return extra->name;
  return fmt::format("r{:x}", code);
}

}  // namespace wperf::plan
