// SPDX-License-Identifier: BSD-3-Clause
#include "code/symbols/store/symbol_path.h"

#include <algorithm>
#include <utility>

#include "base/ascii.h"

namespace wperf::symbols {
namespace {

constexpr char kPublicServer[] = "https://msdl.microsoft.com/download/symbols";

bool starts_with_word(std::string_view text, std::string_view word) {
  return text.size() >= word.size() &&
         std::equal(word.begin(), word.end(), text.begin(), [](char a, char b) { return a == ascii_lower(b); });
}

// Splits at separators that are not in quotes.
std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> out;
  bool quoted = false;
  size_t begin = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '"') quoted = !quoted;
    if (text[i] != separator || quoted) continue;
    out.push_back(text.substr(begin, i - begin));
    begin = i + 1;
  }
  out.push_back(text.substr(begin));
  return out;
}

// Removes surrounding blanks and quotes, and redundant slashes at the end.
std::string clean(std::string_view part) {
  std::string out(part);
  out.erase(std::remove(out.begin(), out.end(), '"'), out.end());
  const size_t first = out.find_first_not_of(" \t\r\n");
  if (first == std::string::npos) return {};
  out = out.substr(first, out.find_last_not_of(" \t\r\n") - first + 1);
  const auto is_root = [](const std::string& path) { return path.size() <= 1 || path[path.size() - 2] == ':'; };
  while ((out.back() == '/' || out.back() == '\\') && !is_root(out)) out.pop_back();
  return out;
}

class PathReader {
 public:
  SymbolPath read(std::string_view text) {
    for (const std::string_view part : split(text, ';')) read_element(part);
    return std::move(path_);
  }

 private:
  void read_element(std::string_view element) {
    const std::string text = clean(element);
    if (text.empty()) return;
    std::vector<std::string> parts;
    for (const std::string_view part : split(element, '*')) parts.push_back(clean(part));
    const auto is = [&](std::string_view word) {
      return parts[0].size() == word.size() && starts_with_word(parts[0], word);
    };
    if (parts.size() == 1) {
      read_plain(text);
    } else if (is("srv")) {
      read_store({parts.begin() + 1, parts.end()}, text);
    } else if (is("symsrv") && parts.size() > 2) {
      read_store({parts.begin() + 2, parts.end()}, text);
    } else if (is("cache") && parts.size() == 2 && parts[1].find("://") == std::string::npos) {
      cache_ = parts[1];
      if (!cache_.empty()) path_.places.emplace_back(SymbolFolder{cache_});
    } else {
      complain(text);
    }
  }

  void read_plain(const std::string& text) {
    if (is_url(text)) {
      path_.places.emplace_back(SymbolServer{cache_, text});
    } else if (text.find("://") != std::string::npos) {
      complain(text);
    } else {
      path_.places.emplace_back(SymbolFolder{text});
    }
  }

  // Downstream stores, nearest first, then the store itself. Files from a server are stored in the nearest folder.
  void read_store(const std::vector<std::string>& parts, const std::string& text) {
    std::string cache = cache_;
    const bool has_server = std::any_of(parts.begin(), parts.end(), is_url);
    for (size_t i = 0; i < parts.size(); ++i) {
      const bool last = i + 1 == parts.size();
      if (is_url(parts[i])) {
        path_.places.emplace_back(SymbolServer{cache, parts[i]});
      } else if (parts[i].find("://") != std::string::npos) {
        complain(text);
      } else if (parts[i].empty()) {
        if (last) path_.places.emplace_back(SymbolServer{cache, kPublicServer});
      } else {
        const bool is_cache = i == 0 && has_server;
        if (is_cache) cache = parts[i];
        if (!is_cache) path_.places.emplace_back(SymbolFolder{parts[i]});
      }
    }
  }

  void complain(const std::string& text) {
    path_.complaints.push_back("the symbol path has an unknown element: " + text);
  }

  SymbolPath path_;
  std::string cache_;  // from the last cache* element
};

}  // namespace

bool is_url(std::string_view text) {
  return starts_with_word(text, "http://") || starts_with_word(text, "https://");
}

SymbolPath parse_symbol_path(std::string_view text) {
  return PathReader().read(text);
}

}  // namespace wperf::symbols
