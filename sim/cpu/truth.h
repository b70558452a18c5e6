// SPDX-License-Identifier: BSD-3-Clause
// The true values that tests and benches compare samples with. A core records only those that it is told to keep.
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
