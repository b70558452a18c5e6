// SPDX-License-Identifier: BSD-3-Clause
// Text between the tool (UTF-8) and Windows (UTF-16), and Windows' own words for its errors. For files that end in
// _win.
#pragma once
#include <string>
#include <string_view>

namespace wperf::os {

std::wstring wide_of(std::string_view utf8);
// Malformed UTF-16 becomes U+FFFD.
std::string utf8_of(std::wstring_view wide);
// "Access is denied (Windows error 5)".
std::string system_error_text(unsigned long error);

}  // namespace wperf::os
