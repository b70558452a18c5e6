// SPDX-License-Identifier: BSD-3-Clause
// Names come from files and command lines that anybody made. A terminal obeys control characters in them; so they are
// shown as \xNN. Called by terminal_console for all that is printed.
#pragma once
#include <string>
#include <string_view>

namespace wperf::cli {

// What wperf prints itself passes: line ends, tabulators, and where `animated` a backspace at the beginning and the few
// colours of report. Signs that turn the order of what follows are shown as \uNNNN.
// Returns `text`, or where something had to be replaced a view of `scratch`.
std::string_view harmless_text(std::string_view text, bool animated, std::string& scratch);

}  // namespace wperf::cli
