// SPDX-License-Identifier: BSD-3-Clause
// The options for the output of a command.
#pragma once
#include <optional>
#include <string>

#include "base/ints.h"

namespace wperf::request {

enum class Colours : u8 { on_terminals, always, never };

struct Outputs {
  bool json = false;
  bool quiet = false;
  bool verbose = false;
  bool paged = true;  // text longer than the screen may go through a pager
  Colours colours = Colours::on_terminals;
  std::optional<std::string> json_file;  // --output/-o (with -t see contract 6.3)
  std::optional<std::string> csv_file;   // --output-csv
  std::optional<std::string> directory;  // --cwd/--output-prefix
};

}  // namespace wperf::request
