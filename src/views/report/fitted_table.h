// SPDX-License-Identifier: BSD-3-Clause
// A table that is no wider than the screen: if it is too wide, the last columns that may be cut are cut first.
#pragma once
#include <functional>
#include <string>
#include <vector>

#include "base/ints.h"

namespace wperf::report {

struct FittedColumn {
  std::string title;
  bool right = false;
  bool may_be_cut = false;
  std::vector<std::string> cells = {};
};

// `screen`: width in characters; 0: not a terminal. `colour_row` colours the line of a row; empty: no colours.
using ColourRow = std::function<std::string(std::string line, usize row)>;
void append_fitted_table(std::string& out, std::vector<FittedColumn> columns, usize screen,
                         const ColourRow& colour_row);

}  // namespace wperf::report
