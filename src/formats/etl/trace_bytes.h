// SPDX-License-Identifier: BSD-3-Clause
// Numbers and texts appended to bytes, in the forms of Windows.
#pragma once
#include <string>
#include <string_view>

#include "formats/perf_data/byte_writing.h"

namespace wperf::etl::write {

using perf_data::put;

// UTF-16 of UTF-8, without an end. Malformed UTF-8 becomes U+FFFD.
std::u16string wide_text(std::string_view utf8);
// With its final zero.
void put_wide(std::string& out, std::string_view utf8);

}  // namespace wperf::etl::write
