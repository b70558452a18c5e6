// SPDX-License-Identifier: BSD-3-Clause
// A call tree as lines: guide lines, a function that calls itself once with how deep it got, functions that only call
// the next one on one line.
#pragma once
#include <string>

#include "model/stacks/call_tree.h"

namespace wperf::report {

struct TreeTextOptions {
  u64 whole = 0;             // the weight that is 100 %
  double percent_limit = 0;  // nodes with less are left out
  bool with_self = false;    // a column for the function's own samples
  usize width = 0;           // of the terminal in characters; 0: none
  bool coloured = false;
};

void append_tree_text(std::string& out, const stacks::StackProfile& profile, const stacks::CallTree& tree,
                      const TreeTextOptions& options);

}  // namespace wperf::report
