// SPDX-License-Identifier: BSD-3-Clause
// Names come from files and command lines that anyone may have made. A terminal obeys control characters in them, so
// they are shown as \xNN. Applied to all output.
#pragma once
#include <string>
#include <string_view>

namespace wperf::cli {

// Control characters that wperf prints itself, in addition to line ends and tabulators.
struct OwnSigns {
  bool backspace = false;  // at the beginning
  bool colours = false;    // the few of report, as it puts them: around a line, after blanks and numbers
};
// Characters that change the direction of text are shown as \uNNNN. Returns `text`, or a view of `scratch` if something
// had to be replaced.
std::string_view harmless_text(std::string_view text, OwnSigns own, std::string& scratch);

}  // namespace wperf::cli
