// SPDX-License-Identifier: BSD-3-Clause
// Texts and numbers in the forms of Windows: reads them from events, and appends them to bytes.
#pragma once
#include <string>
#include <string_view>

#include "formats/etl/event.h"
#include "formats/perf_data/byte_writing.h"

namespace wperf::etl {

// Texts in events end with a zero, which may be missing. Takes UTF-16 text up to its zero and returns UTF-8; malformed
// characters become U+FFFD. Afterwards `bytes` begins after the zero.
std::string take_wide_text(Bytes& bytes);
// Takes text of single bytes. Bytes above ASCII are read as Latin-1, because a trace does not name its code page.
std::string take_narrow_text(Bytes& bytes);
// Takes UTF-8 text without converting it.
std::string take_utf8_text(Bytes& bytes);

namespace write {

using perf_data::put;

// Appends UTF-16 with a final zero.
void put_wide(std::string& out, std::string_view utf8);

}  // namespace write
}  // namespace wperf::etl
