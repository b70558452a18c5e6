// SPDX-License-Identifier: BSD-3-Clause
// Texts and numbers in the forms of Windows: taken from events, and appended to bytes.
#pragma once
#include <string>
#include <string_view>

#include "formats/etl/event.h"
#include "formats/perf_data/byte_writing.h"

namespace wperf::etl {

// Texts inside of events end with a zero, which may be missing. UTF-16 up to its zero → UTF-8; malformed text becomes
// U+FFFD. Afterwards `bytes` begins after the zero.
std::string take_wide_text(Bytes& bytes);
// Text of single bytes. Bytes above ASCII are read as Latin-1: a trace does not name its code page.
std::string take_narrow_text(Bytes& bytes);
// UTF-8 without conversion.
std::string take_utf8_text(Bytes& bytes);

namespace write {

using perf_data::put;

// UTF-16 with its final zero.
void put_wide(std::string& out, std::string_view utf8);

}  // namespace write
}  // namespace wperf::etl
