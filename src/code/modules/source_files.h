// SPDX-License-Identifier: BSD-3-Clause
// Reads source files by the paths in debug information. The author of the debug information chose these paths, and the
// text goes into reports and pages that are shared. So a file must have the name of a source file, or be a script of
// Python. It must also belong to this user, or belong to the system and be readable by everybody, or be below a folder
// of --symbol-path.
#pragma once
#include <span>
#include <string>
#include <string_view>

#include "base/ints.h"

namespace wperf::modules {

struct SourceText {
  std::string text;         // empty if not read
  std::string reason;       // why an existing file is not shown; otherwise empty
  std::string file = {};    // the file that was read
  u64 changed_unix_ns = 0;  // time of its last change
};
struct SourceOrigin {
  bool is_python = false;         // the path comes from an interpreter: a script's name may have no extension
  bool is_of_other_root = false;  // the path is inside a container, so it is searched only below the folders
};
SourceText read_source(const std::string& path, std::span<const std::string> folders, SourceOrigin origin = {});

// A line of the text without its end; empty if the text has fewer lines.
std::string_view source_line(std::string_view text, u32 line);

// Decided by the name only: "x.cpp", or "vector" below a folder "include".
bool has_name_of_source(std::string_view path);

}  // namespace wperf::modules
