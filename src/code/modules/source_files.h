// SPDX-License-Identifier: BSD-3-Clause
// Source text by the paths in debug information. Whoever made that chose the paths, and what is read goes into reports
// and pages that are handed on: so only what is named as sources are, and is this user's, or the system's for everybody
// to read, or lies below a folder of --symbol-path. Called by recorded_code and code_and_sources.
#pragma once
#include <span>
#include <string>
#include <string_view>

namespace wperf::modules {

struct SourceText {
  std::string text;    // empty: not read
  std::string reason;  // why one that may be here is not shown; empty: there is none, or it is shown
};
SourceText read_source(const std::string& path, std::span<const std::string> folders);

// By its name alone: "x.cpp", and "vector" below a folder "include".
bool has_name_of_source(std::string_view path);

}  // namespace wperf::modules
