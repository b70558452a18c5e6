// SPDX-License-Identifier: BSD-3-Clause
// Names of Rust's older scheme, which is the default of most compilers in use.
#pragma once
#include <optional>
#include <string>
#include <string_view>

namespace wperf::symbols {

// "_ZN2r24main28_$u7b$$u7b$closure$u7d$$u7d$17h0123456789abcdefE" is "r2::main::{{closure}}". Returns nullopt for names
// of other languages, which do not end in "h" and 16 digits.
std::optional<std::string> demangle_older_rust(std::string_view name);

}  // namespace wperf::symbols
