// SPDX-License-Identifier: BSD-3-Clause
// The places in --symbol-path and _NT_SYMBOL_PATH, in the grammar of Windows' debuggers.
#pragma once
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace wperf::symbols {

struct SymbolServer {
  std::string cache;  // folder for downloads; empty: the default cache
  std::string url;    // http:// or https://
  friend bool operator==(const SymbolServer&, const SymbolServer&) = default;
};
struct SymbolFolder {
  std::string path;  // an ordinary folder, or a local store (srv*folder)
  friend bool operator==(const SymbolFolder&, const SymbolFolder&) = default;
};
using SymbolPlace = std::variant<SymbolFolder, SymbolServer>;

// Parses "srv*c:\\cache*https://host/path;c:\\symbols;cache*c:\\x" into places, in order. Unknown elements are
// reported.
struct SymbolPath {
  std::vector<SymbolPlace> places;
  std::vector<std::string> complaints;
};

// Elements are separated by semicolons; quotes around an element or a part of it are dropped. Known elements:
//   folder                       the folder and the stores it may hold
//   srv*[cache*…]store           a store, or a server (https://…); Microsoft's public server if empty
//   symsrv*symsrv.dll*…          the same
//   cache*[folder]               cache for downloads from the servers that follow; searched before them
//   https://…                    as srv*https://…
SymbolPath parse_symbol_path(std::string_view text);

bool is_url(std::string_view text);

}  // namespace wperf::symbols
