// SPDX-License-Identifier: BSD-3-Clause
// True values of a core. Tests and benches compare samples with them. A core records only the values that the test
// selected.
#pragma once
#include "sim/cpu/block_totals.h"
#include "sim/cpu/branch_stacks.h"
#include "sim/cpu/operation_totals.h"
#include "sim/cpu/true_callers.h"

namespace wperf::sim {

struct Truth {
  BlockTotals totals;
  OperationTotals operations;
  TrueCallers callers;
  BranchStacks branches;

  bool kept() const { return totals.kept() || operations.kept() || callers.kept() || branches.kept(); }
};

}  // namespace wperf::sim
