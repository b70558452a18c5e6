// SPDX-License-Identifier: BSD-3-Clause
#include "ground/os/named_file.h"

#include <algorithm>
#include <filesystem>

namespace wperf::os {
namespace {

bool is_slash(char c) {
  return c == '/' || c == '\\';
}

// After exactly "\\?\" or "\??\" Windows passes names on unchanged.
bool begins_with_drive(std::string_view path) {
  const auto is_letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); };
  return path.size() >= 3 && is_letter(path[0]) && path[1] == ':' && is_slash(path[2]);
}

// Without this check Windows would follow ".." first: "//?/C:/../UNC/host/share" leads to another machine.
bool goes_up(std::string_view path) {
  const auto is_end = [&](size_t at) { return at >= path.size() || is_slash(path[at]); };
  for (size_t at = path.find(".."); at != path.npos; at = path.find("..", at + 1)) {
    if (at != 0 && is_slash(path[at - 1]) && is_end(at + 2)) return true;
  }
  return false;
}

std::string plain(const std::string& path) {
  const std::u8string text =
      std::filesystem::path(std::u8string(path.begin(), path.end())).lexically_normal().generic_u8string();
  return {text.begin(), text.end()};
}

diag::Error refusal(const std::string& text) {
  return {.text = text + " (wperf does open files in the folders of --symbol-path)", .hint = {}};
}

}  // namespace

bool is_network_path(std::string_view path) {
  const auto slash = [&](size_t at) { return at < path.size() && is_slash(path[at]); };
  const auto question = [&](size_t at) { return at < path.size() && path[at] == '?'; };
  const auto stays_on_drive = [&] { return begins_with_drive(path.substr(4)) && !goes_up(path); };
  if (slash(0) && question(1) && question(2) && slash(3)) return !stays_on_drive();
  if (slash(0) && slash(1)) return !(question(2) && slash(3) && stays_on_drive());
  constexpr size_t kLongestScheme = 16;
  const size_t colon = path.substr(0, kLongestScheme).find("://");
  return colon != std::string_view::npos && colon > 1;
}

bool is_below(const std::string& path, const std::string& folder) {
  std::string root = plain(folder);
  while (root.ends_with('/')) root.pop_back();
  const std::string whole = plain(path);
  return !folder.empty() && whole.size() > root.size() && whole.starts_with(root) && whole[root.size()] == '/';
}

diag::Result<std::optional<MappedFile>> open_named_file(const std::string& path, NamedUse use,
                                                        std::span<const std::string> folders) {
  const bool is_trusted =
      std::any_of(folders.begin(), folders.end(), [&](const std::string& folder) { return is_below(path, folder); });
  if (is_network_path(path) && !is_trusted) return refusal(path + " is a network path, which wperf does not open");
  const HeldFile held(path, use, is_trusted);
  switch (held.state()) {
    case HeldFile::State::absent:
      return std::optional<MappedFile>();
    case HeldFile::State::unreadable:
      return diag::system_error("cannot open " + path, held.error());
    case HeldFile::State::no_file:
      return diag::Error{.text = path + " is not a regular file, and is not opened", .hint = {}};
    case HeldFile::State::of_others:
      return refusal(path + " belongs to another user, and is not opened");
    case HeldFile::State::secret:
      return refusal(path + " may not be read by everyone, and is not shown");
    case HeldFile::State::good:
      break;
  }
  WPERF_TRY(MappedFile mapped, held.map());
  return std::optional(std::move(mapped));
}

}  // namespace wperf::os
