// SPDX-License-Identifier: BSD-3-Clause
#include "machine/plan/cores.h"

#include <fmt/format.h>

#include <algorithm>

namespace wperf::plan {

diag::Result<std::vector<u32>> expand_cores(const std::vector<request::CoreRange>& ranges, u32 core_count,
                                            const request::CoreOption& option) {
  std::vector<u32> cores;
  for (const request::CoreRange& range : ranges) {
    if (range.last >= core_count) {
      const u32 first_bad = std::max(range.first, core_count);
      return diag::contract_error(
          core_count == 0 ? fmt::format("core index {} not allowed, see option {} <n>", first_bad, option.name)
                          : fmt::format("core index {} not allowed. Use 0-{}, see option {} <n>", first_bad,
                                        core_count - 1, option.name));
    }
    for (u32 core = range.first; core <= range.last; ++core) cores.push_back(core);
  }
  std::sort(cores.begin(), cores.end());
  cores.erase(std::unique(cores.begin(), cores.end()), cores.end());
  return cores;
}

}  // namespace wperf::plan
