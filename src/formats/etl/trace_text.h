// SPDX-License-Identifier: BSD-3-Clause
// Texts inside of events: UTF-16 and single bytes up to a zero, which may be missing.
#pragma once
#include <string>

#include "formats/etl/event.h"

namespace wperf::etl {

// UTF-16 up to its zero → UTF-8; malformed text becomes U+FFFD. `bytes` then begins after the zero.
std::string take_wide_text(Bytes& bytes);
// Text of single bytes. Those above ASCII are taken for Latin-1: a trace does not say with which code page it was made.
std::string take_narrow_text(Bytes& bytes);
// UTF-8 without conversion.
std::string take_utf8_text(Bytes& bytes);

}  // namespace wperf::etl
