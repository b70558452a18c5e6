// SPDX-License-Identifier: BSD-3-Clause
// Converts text between the tool (UTF-8) and Windows (UTF-16), and Windows' errors to text. For files that end in _win.
#pragma once
#include <string>

#include "ground/text/unicode.h"

namespace wperf::os {

using text::utf8_of;
using text::wide_of;
// "Access is denied (Windows error 5)".
std::string system_error_text(unsigned long error);

}  // namespace wperf::os
