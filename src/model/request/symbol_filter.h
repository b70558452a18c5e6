// SPDX-License-Identifier: BSD-3-Clause
// --symbol (contract 9.5): `^S` a beginning, `S$` an end, `S` and `^S$` the whole name; a lone `^` or `$`, or an empty
// text, matches every name. Upper and lower case are the same. commands and report decide which rows it hides.
#pragma once
#include <string_view>

#include "model/request/sampling_options.h"

namespace wperf::request {

SymbolFilter parse_symbol_filter(std::string_view text);

// `name` without `:module`.
bool matches(const SymbolFilter& filter, std::string_view name);

}  // namespace wperf::request
