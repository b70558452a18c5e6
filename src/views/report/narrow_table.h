// SPDX-License-Identifier: BSD-3-Clause
// Tables and lists that are wider than the terminal, laid out so that no line is broken within a number.
#pragma once
#include <string>
#include <string_view>

#include "views/report/table.h"

namespace wperf::report {

// Like append_table() if the table is not wider than `width` characters, or if `width` is 0. Otherwise its columns come
// in parts below each other, with the rows numbered; a cell that is longer than a line is cut and ends in "...".
void append_table_within(std::string& out, const Table& table, usize width);
// One line, or several that break at blanks.
void append_line_within(std::string& out, std::string_view line, usize width);

}  // namespace wperf::report
