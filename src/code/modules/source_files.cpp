// SPDX-License-Identifier: BSD-3-Clause
#include "code/modules/source_files.h"

#include <algorithm>
#include <vector>

#include "base/ascii.h"
#include "ground/os/files.h"
#include "ground/os/named_file.h"

namespace wperf::modules {
namespace {

constexpr size_t kMostBytes = size_t{16} << 20;

constexpr std::string_view kEndings[] = {
    "adb", "ads", "asm", "c",   "c++", "cc",  "cl",   "cpp", "cppm", "cs", "cu",  "cuh", "cxx",   "d",     "def",
    "f",   "f03", "f08", "f77", "f90", "f95", "for",  "fs",  "go",   "h",  "h++", "hh",  "hpp",   "hs",    "hxx",
    "i",   "ii",  "inc", "inl", "ipp", "ixx", "java", "jl",  "js",   "kt", "l",   "ll",  "lua",   "m",     "ml",
    "mm",  "mod", "nim", "pas", "php", "pl",  "pm",   "py",  "pyx",  "rb", "rs",  "s",   "scala", "swift", "sx",
    "tcc", "td",  "tpp", "ts",  "txx", "v",   "vala", "vb",  "y",    "yy", "zig"};

bool is_slash(char c) {
  return c == '/' || c == '\\';
}

// Is one of the path's folders called `name`? The last part of the path does not count.
bool has_folder(std::string_view path, std::string_view name) {
  for (size_t at = path.find(name); at != std::string_view::npos; at = path.find(name, at + 1)) {
    const size_t end = at + name.size();
    if ((at == 0 || is_slash(path[at - 1])) && end < path.size() && is_slash(path[end])) return true;
  }
  return false;
}

// The text of the file if it may be shown.
SourceText text_at(const std::string& path, std::span<const std::string> folders) {
  auto opened = os::open_named_file(path, os::NamedUse::shown, folders);
  if (!opened.has_value()) return {.text = {}, .reason = std::move(opened).error().text};
  if (!opened.value().has_value()) return {};
  const auto bytes = opened.value()->bytes();
  if (bytes.size() > kMostBytes) return {.text = {}, .reason = path + " is too large for a source file"};
  return {.text = {reinterpret_cast<const char*>(bytes.data()), bytes.size()},
          .reason = {},
          .file = path,
          .changed_unix_ns = os::last_change_unix_ns(path)};
}

bool is_without_ending(std::string_view path) {
  const size_t dot = path.rfind('.');
  return dot == std::string_view::npos || path.find_first_of("/\\", dot) != std::string_view::npos;
}

// "#!/usr/bin/env python3"
bool is_script_of_python(std::string_view text) {
  return text.starts_with("#!") && text.substr(0, text.find('\n')).find("python") != std::string_view::npos;
}

// Outside of the folders that the user named, the file that the links lead to must itself have the name of a source
// file.
SourceText named_text(const std::string& path, std::span<const std::string> folders, bool is_python) {
  const bool is_chosen = std::any_of(folders.begin(), folders.end(),
                                     [&](const std::string& folder) { return os::is_below(path, folder); });
  if (!is_chosen && os::is_network_path(path)) return text_at(path, folders);
  const std::string real = is_chosen ? path : os::real_path(path);
  if (!os::file_exists(real)) return {};
  if (has_name_of_source(real)) return text_at(real, folders);
  if (is_python && is_without_ending(real)) {
    SourceText text = text_at(real, folders);
    if (text.text.empty() || is_script_of_python(text.text)) return text;
  }
  return {.text = {}, .reason = real + " does not have the name of a source file, and is not shown"};
}

}  // namespace

bool has_name_of_source(std::string_view path) {
  size_t begin = path.size();
  while (begin != 0 && !is_slash(path[begin - 1])) --begin;
  const std::string_view name = path.substr(begin);
  const size_t dot = name.rfind('.');
  if (dot == std::string_view::npos) return !name.empty() && has_folder(path, "include");
  const std::string ending = in_lower_case(std::string(name.substr(dot + 1)));
  return std::find(std::begin(kEndings), std::end(kEndings), ending) != std::end(kEndings);
}

SourceText read_source(const std::string& path, std::span<const std::string> folders, SourceOrigin origin) {
  std::vector<std::string> candidates;
  if (!origin.is_of_other_root) candidates.push_back(path);
  // Tries the whole path below each folder, then the path without its first parts, because the folder may be any parent
  // of the file.
  std::string with_slashes = path;
  std::replace(with_slashes.begin(), with_slashes.end(), '\\', '/');
  for (const std::string& folder : folders) {
    for (size_t begin = 0; begin < path.size(); ++begin) {
      const bool begins_part = !is_slash(path[begin]) && (begin == 0 || is_slash(path[begin - 1]));
      if (begins_part) candidates.push_back(os::join_path(folder, with_slashes.substr(begin)));
    }
  }
  SourceText found;
  for (const std::string& candidate : candidates) {
    SourceText one = named_text(candidate, folders, origin.is_python);
    if (!one.text.empty()) return one;
    if (found.reason.empty()) found.reason = std::move(one.reason);
  }
  if (found.reason.empty() && origin.is_of_other_root) {
    found.reason = path + " is the file of a program with another root folder; name that folder with --symbol-path";
  } else if (found.reason.empty() && origin.is_python) {
    found.reason = "there is no file " + path + " here; name its folder with --symbol-path";
  }
  return found;
}

std::string_view source_line(std::string_view text, u32 line) {
  for (u32 skipped = 1; skipped < line; ++skipped) {
    const usize end = text.find('\n');
    if (end == std::string_view::npos) return {};
    text.remove_prefix(end + 1);
  }
  std::string_view found = line == 0 ? std::string_view() : text.substr(0, text.find('\n'));
  if (found.ends_with('\r')) found.remove_suffix(1);
  return found;
}

}  // namespace wperf::modules
