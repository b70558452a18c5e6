// SPDX-License-Identifier: BSD-3-Clause
// Between the wide strings of the C API (UTF-16 on Windows, UTF-32 elsewhere) and the UTF-8 of everything else. Invalid
// characters become U+FFFD.
#pragma once
#include <string>
#include <string_view>

namespace wperf::capi {

std::wstring wide(std::string_view utf8);
std::string utf8(std::wstring_view text);

}  // namespace wperf::capi
