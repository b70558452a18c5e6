// SPDX-License-Identifier: BSD-3-Clause
// Which module of the kernel was at an address, by the mappings of a recording, also for other kernels than the running
// one.
#pragma once
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "formats/perf_data/process_history.h"

namespace wperf::modules {

class KernelModules {
 public:
  explicit KernelModules(std::span<const perf_data::KernelRange> ranges);

  // "ath9k"; empty for the kernel itself, and for unmapped addresses.
  std::string_view name_at(u64 address) const;

 private:
  struct Module {
    u64 begin = 0, end = 0;
    std::string name;
  };
  std::vector<Module> modules_;  // by address
};

}  // namespace wperf::modules
