// SPDX-License-Identifier: BSD-3-Clause
// Long text for a person at a terminal, screen by screen. Called by cli alone.
#pragma once
#include <string>
#include <string_view>

namespace wperf::os {

// What shows text in pages: WPERF_PAGER, else PAGER, else less where it is there; empty: nothing does (also where one
// of these says so, or `cat`).
std::string pager_command();
// Shows the text and waits until the reader has seen enough. False: the command could not be run, nothing was shown.
bool show_in_pager(const std::string& command, std::string_view text);

// For this room.
bool has_less();

}  // namespace wperf::os
