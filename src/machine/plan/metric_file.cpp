// SPDX-License-Identifier: BSD-3-Clause
#include "machine/plan/metric_file.h"

#include <fmt/format.h>

#include "base/ints.h"

namespace wperf::plan {
namespace {

constexpr std::string_view kBlanks = " \t\r\v\f";
constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";  // Windows editors put this in front of UTF-8

std::string_view trimmed(std::string_view text) {
  const usize first = text.find_first_not_of(kBlanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kBlanks) - first + 1);
}

// Removes and returns the part of `text` before the first `separator`; after the last part `text` is empty.
std::string_view take_until(std::string_view& text, char separator) {
  const usize end = text.find(separator);
  const std::string_view part = text.substr(0, end);
  text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  return part;
}

std::string without_blanks(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (kBlanks.find(c) == std::string_view::npos) out += c;
  }
  return out;
}

}  // namespace

diag::Result<std::vector<MetricLine>> parse_metric_file(std::string_view text) {
  if (text.substr(0, kByteOrderMark.size()) == kByteOrderMark) text.remove_prefix(kByteOrderMark.size());
  std::vector<MetricLine> metrics;
  while (!text.empty()) {
    std::string_view line = trimmed(take_until(text, '\n'));
    if (line.empty() || line[0] == '#') continue;
    const std::string_view name = trimmed(take_until(line, ':'));
    const std::string_view definition = take_until(line, ':');
    if (!line.empty()) {
      return diag::contract_error(fmt::format("unrecognized config component '{}'", trimmed(take_until(line, ':'))));
    }
    metrics.push_back({std::string(name), without_blanks(definition)});
  }
  return metrics;
}

}  // namespace wperf::plan
