// SPDX-License-Identifier: BSD-3-Clause
// Why the last call of this thread failed. Written by every function of the API, read by wperf_last_error().
#pragma once
#include <string_view>

#include "ground/diag/result.h"

namespace wperf::capi {

const char* last_error();
void clear_last_error();
void set_last_error(std::string_view text);
// The sentence, and behind it in parentheses the way out where there is one.
void set_last_error(const diag::Error& error);

}  // namespace wperf::capi
