// SPDX-License-Identifier: BSD-3-Clause
#include "ground/diag/nearest.h"

#include <algorithm>
#include <vector>

#include "base/ascii.h"
#include "base/ints.h"

namespace wperf::diag {
namespace {

constexpr usize kChange = 4;  // the cost of a change
constexpr usize kNoBeginning = 2, kNoUsualBeginning = 1;
constexpr std::string_view kUsualBeginning = "cpu_";
constexpr usize kLongestWord = 64;

usize cost_of(char a, char b) {
  return ascii_lower(a) == ascii_lower(b) ? 0 : kChange;
}

// The optimal string alignment distance: two exchanged neighbours count as one change, and are not changed further.
usize distance(std::string_view from, std::string_view to) {
  std::vector<usize> before(to.size() + 1), last(to.size() + 1), row(to.size() + 1);
  for (usize j = 0; j <= to.size(); ++j) last[j] = j * kChange;
  for (usize i = 1; i <= from.size(); ++i) {
    row[0] = i * kChange;
    for (usize j = 1; j <= to.size(); ++j) {
      row[j] = std::min({last[j] + kChange, row[j - 1] + kChange, last[j - 1] + cost_of(from[i - 1], to[j - 1])});
      const bool exchanged = i > 1 && j > 1 && from[i - 1] == to[j - 2] && from[i - 2] == to[j - 1];
      if (exchanged) row[j] = std::min(row[j], before[j - 2] + kChange);
    }
    before.swap(last);
    last.swap(row);
  }
  return last[to.size()];
}

// A match with a whole name is always nearer than a match with the end of a name.
usize distance_to_name(std::string_view word, std::string_view name) {
  usize least = distance(word, name);
  for (usize at = name.find('_'); at != std::string_view::npos; at = name.find('_', at + 1)) {
    const bool is_usual = at + 1 == kUsualBeginning.size() && name.starts_with(kUsualBeginning);
    least = std::min(least, distance(word, name.substr(at + 1)) + (is_usual ? kNoUsualBeginning : kNoBeginning));
  }
  return least;
}

}  // namespace

std::string_view nearest(std::string_view word, std::span<const std::string_view> known) {
  if (word.size() > kLongestWord) return {};
  // One more than the largest distance of a near word. A near word may also lack the usual beginning of a name.
  usize best = std::max(word.size() / 3 * kChange + kNoUsualBeginning, kNoBeginning) + 1;
  std::string_view found;
  for (const std::string_view name : known) {
    if (name.empty() || name.size() > kLongestWord) continue;
    const usize cost = distance_to_name(word, name);
    const bool lacks_as_much = cost == best && cost % kChange != 0 && name.size() < found.size();
    if (cost >= best && !lacks_as_much) continue;
    best = cost;
    found = name;
  }
  return found;
}

std::string did_you_mean(std::string_view word) {
  return word.empty() ? std::string() : "did you mean " + std::string(word) + "?";
}

}  // namespace wperf::diag
