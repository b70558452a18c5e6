// SPDX-License-Identifier: BSD-3-Clause
// The places to search for symbols, from the options. --symbol-path has folders that may contain the files of the
// recording's machine; they are separated by ; or by the : of PATH.
#pragma once
#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "code/modules/module_files.h"
#include "model/request/measurement.h"

namespace wperf::modules {

// Does a drive ("C:\" or "c:/") begin at `begin`? Its colon is not a separator.
inline bool begins_with_drive(std::string_view path, usize begin) {
  const std::string_view drive = path.substr(begin, 3);
  const char letter = drive.empty() ? '\0' : drive[0];
  const bool is_letter = (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z');
  return is_letter && drive.size() == 3 && drive[1] == ':' && (drive[2] == '\\' || drive[2] == '/');
}

inline std::vector<std::string> symbol_folders(std::string_view path) {
  std::vector<std::string> folders;
  for (usize begin = 0; begin <= path.size();) {
    const usize from = begins_with_drive(path, begin) ? begin + 2 : begin;
    const usize end = std::min(path.find_first_of(";:", from), path.size());
    if (end > begin) folders.emplace_back(path.substr(begin, end - begin));
    begin = end + 1;
  }
  return folders;
}

inline std::vector<std::string> symbol_folders(const SymbolOptions& options) {
  std::vector<std::string> folders = options.first_places;
  for (std::string& one : symbol_folders(options.symbol_path)) folders.push_back(std::move(one));
  return folders;
}

inline std::vector<std::string> symbol_folders(const request::Measurement& wanted) {
  return symbol_folders(wanted.sampling.symbol_path.value_or(""));
}

// Where to look for the PDBs of Windows programs.
inline SymbolOptions symbol_options(const request::Measurement& wanted) {
  SymbolOptions options;
  options.pdb_files = wanted.sampling.more_pdb_files;
  if (wanted.pdb_file.has_value()) options.pdb_files.push_back(*wanted.pdb_file);
  options.symbol_path = wanted.sampling.symbol_path.value_or("");
  options.decorated = wanted.sampling.display.decorated_names;
  return options;
}

}  // namespace wperf::modules
