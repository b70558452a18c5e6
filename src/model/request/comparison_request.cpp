// SPDX-License-Identifier: BSD-3-Clause
#include "model/request/comparison_request.h"

#include <fmt/format.h>

#include <utility>
#include <vector>

#include "ground/diag/nearest.h"
#include "model/request/number.h"

namespace wperf::request {
namespace {

using Kind = FailCondition::Kind;
constexpr std::pair<std::string_view, Kind> kKinds[] = {
    {"function:", Kind::function}, {"inclusive:", Kind::inclusive}, {"module:", Kind::module}, {"line:", Kind::line}};

diag::Error bad_condition(std::string_view text) {
  return diag::usage_error(
      fmt::format("invalid condition '{}'", text),
      "use --fail-if 'NAME>PERCENT%', with function:, inclusive:, module: or line: before NAME if needed: "
      "--fail-if 'elapsed>5%' --fail-if 'cpu-time>5%' --fail-if 'function:parse>5%'; quote it, because > is "
      "special to the shell");
}

// An unknown word before the colon is an error; otherwise `functon:parse` would be an event name like
// system:tracepoint.
std::string_view meant_kind(std::string_view name) {
  const usize colon = name.find(':');
  if (colon == std::string_view::npos) return {};
  std::vector<std::string_view> kinds;
  for (const auto& [prefix, kind] : kKinds) kinds.push_back(prefix.substr(0, prefix.size() - 1));
  return diag::nearest(name.substr(0, colon), kinds);
}

std::string_view trimmed(std::string_view text) {
  while (text.starts_with(' ')) text.remove_prefix(1);
  while (text.ends_with(' ')) text.remove_suffix(1);
  return text;
}

}  // namespace

// A function's name may contain a >, so the last one belongs to the condition.
diag::Result<FailCondition> parse_fail_condition(std::string_view text) {
  const usize greater = text.rfind('>');
  if (greater == std::string_view::npos) return bad_condition(text);
  FailCondition condition;
  condition.text = text;
  std::string_view name = trimmed(text.substr(0, greater)), bound = trimmed(text.substr(greater + 1));
  for (const auto& [prefix, kind] : kKinds) {
    if (!name.starts_with(prefix)) continue;
    condition.kind = kind;
    name = trimmed(name.substr(prefix.size()));
    break;
  }
  if (name.empty() || !bound.ends_with('%')) return bad_condition(text);
  if (condition.kind == Kind::total) {
    if (const std::string_view meant = meant_kind(name); !meant.empty()) {
      diag::Error error = bad_condition(text);
      error.hint = diag::did_you_mean(fmt::format("{}{}>{}", meant, name.substr(name.find(':')), bound));
      return error;
    }
  }
  bound = trimmed(bound.substr(0, bound.size() - 1));
  const auto percent = parse_fraction(bound);
  constexpr double kMostPercent = 1'000'000;
  if (!percent.has_value() || *percent > kMostPercent) return bad_condition(text);
  condition.name = name;
  condition.percent = *percent;
  return condition;
}

diag::Result<CostPer> parse_cost_per(std::string_view text) {
  if (text == "share") return CostPer{.unit = CostPer::Unit::share, .counter = {}};
  if (text == "second") return CostPer{.unit = CostPer::Unit::second, .counter = {}};
  if (text == "run") return CostPer{.unit = CostPer::Unit::run, .counter = {}};
  if (!text.empty()) return CostPer{.unit = CostPer::Unit::counter, .counter = std::string(text)};
  return diag::usage_error("--per has an empty value", "use share, second, run or the name of a counted event");
}

}  // namespace wperf::request
