// SPDX-License-Identifier: BSD-3-Clause
// A table that is no wider than the screen: what does not fit is taken from the last columns that may be cut, first.
// Called by the tables of recordings and of comparisons.
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

// `screen`: in characters; 0: there is none. `colour_row` makes the line of a row what it is to be; empty: as it is.
using ColourRow = std::function<std::string(std::string line, usize row)>;
void append_fitted_table(std::string& out, std::vector<FittedColumn> columns, usize screen,
                         const ColourRow& colour_row);

}  // namespace wperf::report
