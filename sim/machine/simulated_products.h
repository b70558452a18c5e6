// SPDX-License-Identifier: BSD-3-Clause
// The cores that the simulator can have: identity, PMU and cache geometry by product name. The geometry is the common
// configuration of each product (many sizes are the integrator's choice).
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "base/ints.h"

namespace wperf::sim {

struct Product {
  std::string_view name;
  u64 midr;
  u32 counters;     // programmable event counters
  u32 pmu_version;  // ID_AA64DFR0.PMUVer
  u32 spe_version;  // ID_AA64DFR0.PMSVer, 0 = no SPE
  u32 l1i_kib, l1d_kib, l2_kib;
  u32 l1_tlb, l2_tlb;
  u32 issue_width;

  // STALL_SLOT came with Armv8.4.
  bool counts_slots() const { return pmu_version >= 5; }
  // Facts that Arm's top-down formulas correct for Neoverse N2 and V2; the second one only for N2 before r0p3.
  bool recovers_in_backend() const { return part() == 0xd49 || part() == 0xd4f; }
  bool counts_extra_slot() const { return part() == 0xd49 && (midr & 0xf) < 3; }
  u32 part() const { return static_cast<u32>(midr >> 4 & 0xfff); }
};

const Product* find_product(std::string_view name);  // null = unknown
std::vector<std::string_view> product_names();       // alphabetical

}  // namespace wperf::sim
