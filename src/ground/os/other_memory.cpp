// SPDX-License-Identifier: BSD-3-Clause
#include "ground/os/other_memory.h"

#include <algorithm>
#include <charconv>

namespace wperf::os {
namespace {

std::string_view take_word(std::string_view& line) {
  const usize begin = std::min(line.find_first_not_of(' '), line.size());
  const usize end = std::min(line.find(' ', begin), line.size());
  const std::string_view word = line.substr(begin, end - begin);
  line.remove_prefix(end);
  return word;
}

bool parse_hex(std::string_view digits, u64& number) {
  const auto read = std::from_chars(digits.data(), digits.data() + digits.size(), number, 16);
  return read.ec == std::errc{} && read.ptr == digits.data() + digits.size();
}

// "5634a000-5634b000 r-xp 00002000 fe:01 1234   /usr/bin/x"
bool parse_mapping(std::string_view line, FileMapping& out) {
  const std::string_view range = take_word(line);
  const usize dash = range.find('-');
  if (dash == std::string_view::npos) return false;
  if (!parse_hex(range.substr(0, dash), out.begin) || !parse_hex(range.substr(dash + 1), out.end)) return false;
  take_word(line);  // rights
  if (!parse_hex(take_word(line), out.file_offset)) return false;
  take_word(line);                    // device
  take_word(line);                    // inode
  const usize path = line.find('/');  // a path may contain spaces
  if (path == std::string_view::npos || out.begin >= out.end) return false;
  out.path = line.substr(path);
  return true;
}

}  // namespace

std::vector<FileMapping> parse_file_mappings(std::string_view maps) {
  std::vector<FileMapping> mappings;
  while (!maps.empty()) {
    const std::string_view line = maps.substr(0, maps.find('\n'));
    maps.remove_prefix(std::min(line.size() + 1, maps.size()));
    FileMapping mapping;
    if (parse_mapping(line, mapping)) mappings.push_back(std::move(mapping));
  }
  return mappings;
}

// "4711 (a name) S 4700 …"; the name may contain parentheses and spaces.
std::optional<u32> parse_parent(std::string_view stat) {
  const usize name_end = stat.rfind(')');
  if (name_end == std::string_view::npos) return std::nullopt;
  stat.remove_prefix(name_end + 1);
  take_word(stat);  // its state
  const std::string_view parent = take_word(stat);
  u32 number = 0;
  const auto read = std::from_chars(parent.data(), parent.data() + parent.size(), number);
  if (read.ec != std::errc{} || read.ptr != parent.data() + parent.size()) return std::nullopt;
  return number;
}

std::optional<u32> parse_own_thread_number(std::string_view status) {
  constexpr std::string_view kKey = "\nNSpid:";
  const usize key = status.find(kKey);
  if (key == std::string_view::npos) return std::nullopt;
  std::string_view line = status.substr(key + kKey.size());
  line = line.substr(0, line.find('\n'));
  const usize begin = line.find_last_of(" \t") + 1;  // the innermost container's number is the last
  u32 number = 0;
  const auto read = std::from_chars(line.data() + begin, line.data() + line.size(), number);
  if (read.ec != std::errc{} || read.ptr != line.data() + line.size()) return std::nullopt;
  return number;
}

}  // namespace wperf::os
