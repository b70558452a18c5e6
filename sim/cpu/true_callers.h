// SPDX-License-Identifier: BSD-3-Clause
// The true values for call stacks: the calls that have not returned, derived only from calls and returns and not from
// the program's stack. For one thread; used by tests.
#pragma once
#include <vector>

#include "base/ints.h"
#include "sim/cpu/instruction_class.h"

namespace wperf::sim {

class TrueCallers {
 public:
  struct Overflow {
    u64 pc = 0;
    std::vector<u64> callers;  // return addresses, outermost first
  };

  void keep() { kept_ = true; }
  bool kept() const { return kept_; }
  // Reports that a block ended with an instruction of kind `end` and continued at `next`; `behind` is the address after
  // the block.
  void left(BranchKind end, u64 behind, u64 next) {
    if (end == BranchKind::call || end == BranchKind::indirect_call) {
      callers_.push_back(behind);
    } else if (end == BranchKind::procedure_return && !callers_.empty() && callers_.back() == next) {
      callers_.pop_back();
    }
  }
  // An instruction of the current block made a watched event reach its count.
  void overflowed(u64 pc) { overflows_.push_back({pc, callers_}); }
  const std::vector<Overflow>& overflows() const { return overflows_; }

 private:
  bool kept_ = false;
  std::vector<u64> callers_;
  std::vector<Overflow> overflows_;
};

}  // namespace wperf::sim
