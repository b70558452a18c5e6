// SPDX-License-Identifier: BSD-3-Clause
// The known word that is nearest to a mistyped one. For hints of errors.
#pragma once
#include <span>
#include <string>
#include <string_view>

namespace wperf::diag {

// Returns the word that takes the fewest changes, the first if there are several. A change is a character more, less or
// other, or two exchanged characters; upper and lower case are equal. Empty if no word is near: at most one change for
// every three characters. A word that lacks the beginning of a name with underlines is also near to it: `cyclez` to
// cpu_cycles. A word that lacks only cpu_ is nearer than one that lacks more, and among those a short name wins:
// `cycles` means cpu_cycles and not backend_stalled_cycles.
std::string_view nearest(std::string_view word, std::span<const std::string_view> known);

// "did you mean X?"; empty if X is empty.
std::string did_you_mean(std::string_view word);

}  // namespace wperf::diag
