// SPDX-License-Identifier: BSD-3-Clause
// Arbitrary conditions of `--fail-if` and arbitrary documents of `stat --json`. A parsed condition keeps its text and
// has a valid bound; sums of counts are not negative.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <string_view>

#include "analysis/compare/function_names.h"
#include "formats/profiles/stat_counts.h"
#include "model/request/comparison_request.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto condition = wperf::request::parse_fail_condition(text);
  if (condition.has_value()) {
    const wperf::request::FailCondition& parsed = condition.value();
    if (parsed.name.empty() || parsed.text != text || !(parsed.percent >= 0) || !std::isfinite(parsed.percent))
      std::abort();
  } else if (condition.error().text.empty()) {
    std::abort();
  }
  const std::string key = wperf::compare::function_key(text);
  if (wperf::compare::function_key(key) != key) std::abort();
  (void)wperf::compare::is_meant(text.substr(0, size / 2), text.substr(size / 2));
  const auto counts = wperf::profiles::read_stat_counts(std::as_bytes(std::span(text.data(), text.size())));
  if (!counts.has_value()) return 0;
  for (const auto& count : counts->counts) {
    if (count.event.empty() || !(count.value >= 0)) std::abort();
  }
  return 0;
}
