// SPDX-License-Identifier: BSD-3-Clause
// Text as HTML, SVG and XML have it, in element content and in quoted attributes.
#pragma once
#include <string>
#include <string_view>

namespace wperf::report {

// Bytes that are not UTF-8, and characters that XML does not know, become U+FFFD.
std::string markup_text(std::string_view text);

}  // namespace wperf::report
