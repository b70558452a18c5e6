// SPDX-License-Identifier: BSD-3-Clause
// Escapes text for CSV and markup, because names of functions, threads and files can contain any characters.
#pragma once
#include <string>
#include <string_view>

#include "base/ints.h"

namespace wperf::report {

// The maximum size of a field from put_csv_field(): twice the characters, two quotes and an apostrophe.
constexpr usize most_of_csv_field(std::string_view text) {
  return 2 * text.size() + 3;
}
// Would a spreadsheet read the text as a formula?
bool begins_formula(std::string_view text);
// Writes a field and returns its end. The caller must provide most_of_csv_field(text) bytes. Text with a separator, a
// quote or a line end is quoted (RFC 4180). A formula gets an apostrophe before it, because spreadsheets would run it.
char* put_csv_field(char* at, std::string_view text);
void append_csv_field(std::string& out, std::string_view text);

// Text for HTML, SVG and XML, in element content and in quoted attributes. Bytes that are not UTF-8, and characters
// that XML does not allow, become U+FFFD.
std::string markup_text(std::string_view text);

}  // namespace wperf::report
