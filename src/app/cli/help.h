// SPDX-License-Identifier: BSD-3-Clause
// Makes texts from the table of options: --help, and checked-in documents (see generated_test.cpp).
#pragma once
#include <string>
#include <vector>

#include "app/cli/options.h"

namespace wperf::cli {

// One line for the beginning of --help and of the man page.
constexpr std::string_view kPurpose =
    "a performance profiler for Windows on Arm and for Linux; it also reads perf.data files of other machines";

// The complete text, without the header lines: --help --all, and --help for scripts of WindowsPerf (contract 8.2).
std::string render_help();
// --help, without the header lines; the examples are for the linux device or for the driver.
std::string render_overview(bool linux_device);
std::vector<std::string_view> overview_examples(bool linux_device);
// COMMAND --help. `device`: a name as for --device; empty: all devices.
std::string render_command_help(const CommandRow& command, std::string_view device = {});

// The headings of the groups of options, in the order of the help.
struct Heading {
  Group group;
  std::string_view title;
};
inline constexpr Heading kHeadings[] = {
    {Group::measured, "What to measure"},    {Group::duration, "How long"}, {Group::shown, "What to show"},
    {Group::names, "Where names come from"}, {Group::output, "Output"},     {Group::machine, "Machine"}};

// `wperf guide`, and docs/SKILL.md, which is the same text with the header of a skill for AI assistants.
std::string render_guide();
std::string render_skill();

// docs/user/options.md
std::string render_option_page();
// The command's heading on that page, which is also its anchor: "stat", "version".
std::string_view option_heading(const CommandRow& command);

// docs/man/wperf.1
std::string render_man_page();

// completions/
std::string render_bash_completion();
std::string render_zsh_completion();
std::string render_fish_completion();
std::string render_powershell_completion();

// "[-e EVENTS]", "[-k]", … and the command's argument and tail, in pieces that must not be broken.
std::vector<std::string> usage_pieces(const CommandRow& command);

}  // namespace wperf::cli
