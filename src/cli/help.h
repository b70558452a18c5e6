// SPDX-License-Identifier: BSD-3-Clause
// What is written from the table of options: --help for main, and the checked-in documents (see generated_test.cpp).
#pragma once
#include <string>
#include <vector>

#include "cli/options.h"

namespace wperf::cli {

// --help, without the header lines (contract 8.2).
std::string render_help();

// The options of a page of docs/user, as a Markdown table.
std::string render_markdown(std::string_view page);

// docs/man/wperf.1
std::string render_man_page();

// completions/
std::string render_bash_completion();
std::string render_zsh_completion();
std::string render_powershell_completion();

// "[-e EVENTS]", "[-k]", … and the argument and tail of the command: pieces that must not be broken.
std::vector<std::string> usage_pieces(const CommandRow& command);

}  // namespace wperf::cli
