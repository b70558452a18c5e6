// SPDX-License-Identifier: BSD-3-Clause
#include "sim/nt/guest_names.h"

#include <algorithm>

#include "sim/nt/wide_strings.h"

namespace wperf::sim {
namespace {

constexpr usize kLongestName = 32767, kLongestPart = 255;

// CON, NUL, COM1 … are devices in every folder, whatever their extension.
bool is_device(std::string_view part) {
  const std::string_view stem = part.substr(0, part.find('.'));
  for (const std::string_view name : {"CON", "PRN", "AUX", "NUL", "CONIN$", "CONOUT$"})
    if (same_ignoring_case(stem, name)) return true;
  if (stem.size() < 4) return false;
  return stem.size() == 4 && stem[3] >= '0' && stem[3] <= '9' &&
         (same_ignoring_case(stem.substr(0, 3), "COM") || same_ignoring_case(stem.substr(0, 3), "LPT"));
}

// Removes "\\?\", "C:" and a slash at the start. The slash sets `absolute`. Returns false for another drive or another
// machine.
bool take_root(std::string_view& name, bool& absolute) {
  const auto is_slash = [](char character) { return character == '\\' || character == '/'; };
  absolute = false;
  if (name.starts_with("\\\\?\\") || name.starts_with("\\\\.\\")) {
    name.remove_prefix(4);
    if (name.size() < 3 || name[1] != ':' || !is_slash(name[2])) return false;
  } else if (name.size() >= 2 && is_slash(name[0]) && is_slash(name[1])) {
    return false;
  }
  if (name.size() >= 2 && name[1] == ':') {
    if (!same_ignoring_case(name.substr(0, 1), "c")) return false;
    name.remove_prefix(2);
  }
  absolute = !name.empty() && is_slash(name[0]);
  return true;
}

}  // namespace

bool is_plain_part(std::string_view part) {
  if (part.size() > kLongestPart || part.back() == '.' || part.back() == ' ' || is_device(part)) return false;
  return std::none_of(part.begin(), part.end(), [](char character) {
    return static_cast<u8>(character) < 0x20 || std::string_view("<>:\"|?*").find(character) != std::string_view::npos;
  });
}

std::optional<std::vector<std::string>> parts_of_guest_name(std::string_view name) {
  bool absolute = false;
  if (name.empty() || name.size() > kLongestName || name.find('\0') != std::string_view::npos) return std::nullopt;
  if (!take_root(name, absolute)) return std::nullopt;
  std::vector<std::string> parts;  // the parts from the drive's root on
  if (!absolute) parts.emplace_back(kGuestFolder.substr(3));
  while (!name.empty()) {
    const usize slash = name.find_first_of("\\/");
    const std::string_view part = name.substr(0, slash);
    name.remove_prefix(slash == std::string_view::npos ? name.size() : slash + 1);
    if (part.empty() || part == ".") continue;
    if (part == "..") {
      if (!parts.empty()) parts.pop_back();  // the parent of a drive's root is the root itself
      continue;
    }
    if (!is_plain_part(part)) return std::nullopt;
    parts.emplace_back(part);
  }
  if (parts.empty() || !same_ignoring_case(parts.front(), kGuestFolder.substr(3))) return std::nullopt;
  parts.erase(parts.begin());
  return parts;
}

std::string guest_name_of(const std::vector<std::string>& parts) {
  std::string name(kGuestFolder);
  for (const std::string& part : parts) name += "\\" + part;
  return name;
}

}  // namespace wperf::sim
