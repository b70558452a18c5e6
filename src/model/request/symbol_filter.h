// SPDX-License-Identifier: BSD-3-Clause
// --symbol (contract 9.5): `^S` a beginning, `S$` an end, `S` and `^S$` the whole name; `^` or `$` alone, and nothing,
// are every name. Upper and lower case are the same. Which rows it hides is for commands and report.
#pragma once
#include <string_view>

#include "model/request/request.h"

namespace wperf::request {

SymbolFilter parse_symbol_filter(std::string_view text);

// `name` without `:module`.
bool matches(const SymbolFilter& filter, std::string_view name);

}  // namespace wperf::request
