// SPDX-License-Identifier: BSD-3-Clause
// The cores the simulator can be: identity, PMU and cache geometry by product name. Geometry is the common
// configuration of each product (many are the integrator's choice). Used by the options parser and the machine.
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
  u32 spe_version;  // ID_AA64DFR0.PMSVer, 0 = none
  u32 l1i_kib, l1d_kib, l2_kib;
  u32 l1_tlb, l2_tlb;
  u32 issue_width;
};

const Product* find_product(std::string_view name);  // null = unknown
std::vector<std::string_view> product_names();       // alphabetical

}  // namespace wperf::sim
