// SPDX-License-Identifier: BSD-3-Clause
// Makes places of a profile for kernel addresses.
#pragma once
#include <span>
#include <vector>

#include "analysis/recording/profile_tables.h"
#include "code/modules/kernel_symbols.h"

namespace wperf::recording {

class KernelPlaces {
 public:
  // Looks up the addresses in the kernel's symbol list. Does not touch a profile, so any thread may call it.
  void ask(const perf_data::PerfFile& file, const perf_data::ProcessHistory& history, std::span<const u64> addresses);
  // Adds the functions and their modules; returns the place of each address.
  std::vector<u32> name(ProfileTables& tables, stacks::StackProfile& profile) const;

 private:
  modules::KernelSymbols symbols_;                           // of the recording's kernel
  std::vector<u32> order_;                                   // indices of the addresses, sorted by address
  std::vector<modules::KernelSymbols::Function> functions_;  // sorted by address, like order_
};

}  // namespace wperf::recording
