// SPDX-License-Identifier: BSD-3-Clause
// What is written from the table of options: --help for main, and the checked-in documents (see generated_test.cpp).
#pragma once
#include <string>
#include <vector>

#include "cli/options.h"

namespace wperf::cli {

// One line for the head of --help and of the man page.
constexpr std::string_view kPurpose =
    "a performance profiler for Windows on Arm and for Linux; it also reads perf.data files of other machines";

// Everything: --help --all, and what --help says to scripts of WindowsPerf (contract 8.2). Without the header lines.
std::string render_help();
// --help, without the header lines; the examples are those of the linux device or of the driver.
std::string render_overview(bool linux_device);
std::vector<std::string_view> overview_examples(bool linux_device);
// COMMAND --help, for a device as --device names it; empty: for all.
std::string render_command_help(const CommandRow& command, std::string_view device = {});

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
