// SPDX-License-Identifier: BSD-3-Clause
// A text as a field of CSV, the same in all tables that wperf writes: names of functions, threads and files may have
// any characters.
#pragma once
#include <string>
#include <string_view>

#include "base/ints.h"

namespace wperf::report {

// As long as put_csv_field() makes it at most: each character twice, quotes and a mark.
constexpr usize most_of_csv_field(std::string_view text) {
  return 2 * text.size() + 3;
}
// The caller provides room for that; returns where the field ends. Text with a separator, a quote or a line end is put
// into quotes (RFC 4180). A text that spreadsheets would take for a formula, which may start programs, gets an
// apostrophe in front.
char* put_csv_field(char* at, std::string_view text);
void append_csv_field(std::string& out, std::string_view text);

}  // namespace wperf::report
