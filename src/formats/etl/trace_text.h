// SPDX-License-Identifier: BSD-3-Clause
// Texts inside of events: UTF-16 and single bytes up to a zero, which may be missing.
#pragma once
#include <string>

#include "formats/etl/event.h"

namespace wperf::etl {

// UTF-16 up to its zero → UTF-8; what is not valid becomes U+FFFD. `bytes` go on behind the zero.
std::string take_wide_text(Bytes& bytes);
// Of single bytes. Those above ASCII are taken for Latin-1: which code page a trace was made with, it does not say.
std::string take_narrow_text(Bytes& bytes);
// UTF-8 as it stands.
std::string take_utf8_text(Bytes& bytes);

}  // namespace wperf::etl
