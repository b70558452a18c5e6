// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/pgo/judgement.h"

#include <algorithm>

namespace wperf::pgo {
namespace {

constexpr double kInstructionBytes = 4;  // on Arm64, and about the mean on x86-64

struct FunctionTotals {
  u64 samples = 0;
  double executed_bytes = 0;
};

}  // namespace

Judgement judge(const Binary& binary, const compiler_profiles::AddressCounts& counts) {
  Judgement out;
  std::map<u64, FunctionTotals> totals;
  const auto add = [&](u64 address, u64 count, double bytes) {
    out.samples += count;
    u64 begin = 0;
    if (function_at(binary, address, begin) == nullptr) {
      out.outside += count;
      return;
    }
    FunctionTotals& function = totals[begin];
    function.samples += count;
    function.executed_bytes += static_cast<double>(count) * bytes;
  };
  if (counts.ranges.empty()) {
    for (const auto& one : counts.samples) add(one.address, one.count, kInstructionBytes);
  } else {
    for (const auto& one : counts.ranges) {
      add(one.begin, one.count, static_cast<double>(one.last - one.begin) + kInstructionBytes);
    }
  }
  std::vector<std::pair<u64, FunctionTotals>> sorted(totals.begin(), totals.end());
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const auto& a, const auto& b) { return a.second.samples > b.second.samples; });
  out.functions = sorted.size();
  double part = 0;
  for (const auto& [begin, function] : sorted) {
    if (out.hot_functions != 0 && part >= kHotPart) break;
    const CountedFunction& known = binary.functions.at(begin);
    const double density = function.executed_bytes / static_cast<double>(known.end - begin);
    part += static_cast<double>(function.samples) / static_cast<double>(out.samples);
    if (out.hot_functions++ == 0) {
      out.hottest = known.name;
      out.hottest_percent = 100 * part;
    } else if (density >= out.density) {
      continue;
    }
    out.density = density;
    out.thinnest = known.name;
  }
  out.functions += binary.boundless.size();
  if (out.hot_functions == 0) {
    u64 most = 0;
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

}  // namespace wperf::pgo
