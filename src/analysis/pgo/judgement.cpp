// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/pgo/judgement.h"

#include <algorithm>

namespace wperf::pgo {
namespace {

constexpr double kInstructionBytes = 4;  // exact on Arm64, and about the mean length on x86-64

struct FunctionTotals {
  u64 samples = 0, weight = 0;
  double executed_bytes = 0;
};

}  // namespace

Judgement judge(const Binary& binary, const compiler_profiles::AddressCounts& counts,
                const compiler_profiles::AddressCounts& weighted) {
  Judgement out;
  std::map<u64, FunctionTotals> totals;
  u64 all_weight = 0;
  const auto add = [&](u64 address, u64 count, u64 weight, double bytes) {
    out.samples += count;
    all_weight += weight;
    u64 begin = 0;
    if (function_at(binary, address, begin) == nullptr) {
      out.outside += count;
      return;
    }
    FunctionTotals& function = totals[begin];
    function.samples += count;
    function.weight += weight;
    function.executed_bytes += static_cast<double>(count) * bytes;
  };
  if (counts.ranges.empty()) {
    for (usize i = 0; i < counts.samples.size(); ++i) {
      const auto& one = counts.samples[i];
      add(one.address, one.count, weighted.samples[i].count, kInstructionBytes);
    }
  } else {
    for (const auto& one : counts.ranges) {
      add(one.begin, one.count, one.count, static_cast<double>(one.last - one.begin) + kInstructionBytes);
    }
  }
  struct Row {
    const CountedFunction* function = nullptr;
    u64 samples = 0, weight = 0;
    double density = 0;
  };
  std::vector<Row> rows;
  for (const auto& [begin, function] : totals) {
    const CountedFunction& known = binary.functions.at(begin);
    rows.push_back(
        {&known, function.samples, function.weight, function.executed_bytes / static_cast<double>(known.end - begin)});
  }
  out.functions = rows.size();
  std::stable_sort(rows.begin(), rows.end(), [](const Row& a, const Row& b) { return a.density > b.density; });
  const u64 inside = out.samples - out.outside;
  u64 so_far = 0, most = 0;
  for (const Row& row : rows) {
    if (row.weight > most) {
      most = row.weight;
      out.hottest = row.function->name;
    }
    if (static_cast<double>(so_far) >= kHotPart * static_cast<double>(inside)) continue;
    so_far += row.samples;
    ++out.hot_functions;
    out.density = row.density;
    out.thinnest = row.function->name;
  }
  if (all_weight != 0) out.hottest_percent = 100 * static_cast<double>(most) / static_cast<double>(all_weight);
  out.functions += binary.boundless.size();
  if (out.hot_functions == 0) {
    for (const auto& [name, samples] : binary.boundless) {
      if (samples <= most || out.samples == 0) continue;
      most = samples;
      out.hottest = name;
      out.hottest_percent = std::min(100.0, 100 * static_cast<double>(samples) / static_cast<double>(out.samples));
    }
  }
  if (out.hot_functions != 0 && out.density < kWantedDensity) out.longer = kWantedDensity / out.density;
  return out;
}

bool is_rust_name(std::string_view name) {
  if (name.starts_with("_R")) return true;
  constexpr std::string_view kHash = "17h0123456789abcdefE";
  if (!name.starts_with("_ZN") || name.size() < kHash.size()) return false;
  const std::string_view end = name.substr(name.size() - kHash.size());
  return end.starts_with("17h") && end.ends_with('E') &&
         end.substr(3, 16).find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

}  // namespace wperf::pgo
