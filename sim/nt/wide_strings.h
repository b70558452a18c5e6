// SPDX-License-Identifier: BSD-3-Clause
// Text of the machine, whose code page is UTF-8, and the 16-bit text of Windows. Malformed text becomes U+FFFD.
#pragma once
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/ints.h"

namespace wperf::sim {

std::vector<u16> to_utf16(std::string_view utf8);
std::string to_utf8(std::span<const u16> utf16);
// Compares names as Windows does: letters of all alphabets, one by one, so "ß" is not "SS".
bool same_ignoring_case(std::string_view left, std::string_view right);
u16 small_letter(u16 unit);
std::string in_lower_case(std::string_view text);

}  // namespace wperf::sim
