// SPDX-License-Identifier: BSD-3-Clause
// Source text by the paths in debug information. The author of the debug information chose the paths, and the text goes
// into reports and pages that are handed on. So a file must be named like a source, and must belong to this user, or to
// the system and be readable for everybody, or lie below a folder of --symbol-path.
#pragma once
#include <span>
#include <string>
#include <string_view>

#include "base/ints.h"

namespace wperf::modules {

struct SourceText {
  std::string text;    // empty: not read
  std::string reason;  // why a file that may exist is not shown; empty if there is no file, or if it is shown
};
SourceText read_source(const std::string& path, std::span<const std::string> folders);

// The text of a line, without its end; empty if the text is shorter.
std::string_view source_line(std::string_view text, u32 line);

// Decided by the name only: "x.cpp", and "vector" below a folder "include".
bool has_name_of_source(std::string_view path);

}  // namespace wperf::modules
