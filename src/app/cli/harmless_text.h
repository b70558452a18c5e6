// SPDX-License-Identifier: BSD-3-Clause
// Names come from files and command lines that anybody made. A terminal obeys control characters in them; so they are
// shown as \xNN. Called by terminal_console for all that is printed.
#pragma once
#include <string>
#include <string_view>

namespace wperf::cli {

// What wperf prints itself beside line ends and tabulators.
struct OwnSigns {
  bool backspace = false;  // at the beginning
  bool colours = false;    // the few of report, as it puts them: around a line, behind blanks and numbers
};
// Signs that turn the order of what follows are shown as \uNNNN.
// Returns `text`, or where something had to be replaced a view of `scratch`.
std::string_view harmless_text(std::string_view text, OwnSigns own, std::string& scratch);

}  // namespace wperf::cli
