// SPDX-License-Identifier: BSD-3-Clause
// Long text for a person at a terminal, screen by screen.
#pragma once
#include <string>
#include <string_view>

namespace wperf::os {

// The command that shows text in pages: WPERF_PAGER, or PAGER, or less if it is installed. Empty if text is shown
// without a pager (also if one of these is empty or `cat`).
std::string pager_command();
// Shows the text and waits until the reader has seen enough. False: the command could not be run, nothing was shown.
bool show_in_pager(const std::string& command, std::string_view text);

// For this room.
bool has_less();

}  // namespace wperf::os
