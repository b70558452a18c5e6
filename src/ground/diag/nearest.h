// SPDX-License-Identifier: BSD-3-Clause
// The known word that is nearest to a mistyped one. For hints in errors.
#pragma once
#include <span>
#include <string>
#include <string_view>

namespace wperf::diag {

// Returns the word that needs the fewest changes; the first one if there are several. A change inserts, removes or
// replaces a character, or exchanges two neighbours; case is ignored. Returns an empty text if no word is near; near
// means at most one change for every three characters. A word may also lack the beginning of a name with underscores:
// `cyclez` is near cpu_cycles. A word that lacks only cpu_ is nearer than a word that lacks another beginning; among
// other beginnings, the shortest name wins. So `cycles` means cpu_cycles and not backend_stalled_cycles.
std::string_view nearest(std::string_view word, std::span<const std::string_view> known);

// "did you mean X?"; empty if X is empty.
std::string did_you_mean(std::string_view word);

}  // namespace wperf::diag
