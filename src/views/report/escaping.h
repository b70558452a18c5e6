// SPDX-License-Identifier: BSD-3-Clause
// Text in CSV and in markup: names of functions, threads and files may have any characters.
#pragma once
#include <string>
#include <string_view>

#include "base/ints.h"

namespace wperf::report {

// The greatest length of a field that put_csv_field() makes: each character twice, quotes and a mark.
constexpr usize most_of_csv_field(std::string_view text) {
  return 2 * text.size() + 3;
}
// Would a spreadsheet take the text for a formula?
bool begins_formula(std::string_view text);
// The caller provides room for that; returns where the field ends. Text with a separator, a quote or a line end is put
// into quotes (RFC 4180). A formula, which may start programs, gets an apostrophe in front.
char* put_csv_field(char* at, std::string_view text);
void append_csv_field(std::string& out, std::string_view text);

// Text as HTML, SVG and XML have it, in element content and in quoted attributes. Bytes that are not UTF-8, and
// characters that XML does not know, become U+FFFD.
std::string markup_text(std::string_view text);

}  // namespace wperf::report
