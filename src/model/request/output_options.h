// SPDX-License-Identifier: BSD-3-Clause
// The options for the output of a command.
#pragma once
#include <optional>
#include <string>

#include "base/ints.h"

namespace wperf::request {

// --brief: a summary of at most this many bytes.
inline constexpr u32 kUsualBriefBytes = 4096, kLeastBriefBytes = 512, kMostBriefBytes = 1 << 20;

struct Brief {
  u32 bytes = kUsualBriefBytes;
  bool as_markdown = true, as_json = false;
};

enum class Colours : u8 { on_terminals, always, never };

struct Outputs {
  bool json = false;
  bool quiet = false;
  bool verbose = false;
  std::optional<Brief> brief;  // instead of text and JSON on stdout
  bool paged = true;           // text longer than the screen may be shown in a pager
  Colours colours = Colours::on_terminals;
  std::optional<std::string> json_file;  // --output/-o (with -t: see contract 6.3)
  std::optional<std::string> csv_file;   // --output-csv
  std::optional<std::string> directory;  // --cwd/--output-prefix
};

}  // namespace wperf::request
