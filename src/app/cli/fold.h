// SPDX-License-Identifier: BSD-3-Clause
// Makes text narrow enough for a terminal, so that this does not break lines inside of numbers and names.
#pragma once
#include <string>
#include <string_view>

#include "base/ints.h"

namespace wperf::cli {

// Lines that fit stay. A table (its second line underlines the titles) that does not fit is cut between two columns,
// and the part that is cut off follows each line, indented. Any other line goes on below, broken at a blank or after a
// comma or a plus. `width` is in characters.
std::string fold_lines(std::string_view text, usize width);

}  // namespace wperf::cli
