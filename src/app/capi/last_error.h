// SPDX-License-Identifier: BSD-3-Clause
// Why the last call of this thread failed. Every function of the API sets it; wperf_last_error() returns it.
#pragma once
#include <string_view>

#include "ground/diag/result.h"

namespace wperf::capi {

const char* last_error();
void clear_last_error();
void set_last_error(std::string_view text);
// The sentence, followed in parentheses by the remedy if there is one.
void set_last_error(const diag::Error& error);

}  // namespace wperf::capi
