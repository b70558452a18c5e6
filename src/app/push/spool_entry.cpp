// SPDX-License-Identifier: BSD-3-Clause
#include "app/push/spool_entry.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

namespace wperf::push {
namespace {

constexpr std::string_view kFirstLine = "wperf-spool 1";
constexpr usize kLongestLine = 64 << 10;

u64 hash_of(std::string_view bytes) {
  u64 hash = 0xcbf29ce484222325;
  for (const char c : bytes) hash = (hash ^ static_cast<u8>(c)) * 0x100000001b3;
  return hash;
}

// Each line exists once, in this order.
template <class Entry>
auto texts_of(Entry& entry) {
  return std::array{std::pair{std::string_view("server"), &entry.server},
                    std::pair{std::string_view("tenant"), &entry.tenant},
                    std::pair{std::string_view("name"), &entry.name},
                    std::pair{std::string_view("path"), &entry.parcel.path},
                    std::pair{std::string_view("type"), &entry.parcel.content_type},
                    std::pair{std::string_view("encoding"), &entry.parcel.content_encoding}};
}

// False: no further line.
bool take_line(std::string_view& rest, std::string_view& line) {
  const usize end = rest.substr(0, kLongestLine).find('\n');
  if (end == std::string_view::npos) return false;
  line = rest.substr(0, end);
  rest.remove_prefix(end + 1);
  return true;
}

bool take_text(std::string_view& rest, std::string_view key, std::string& text) {
  std::string_view line;
  if (!take_line(rest, line) || !line.starts_with(key) || line.size() <= key.size() || line[key.size()] != ' ') {
    return false;
  }
  line.remove_prefix(key.size() + 1);
  // It becomes a line of a request.
  if (std::any_of(line.begin(), line.end(), [](char c) { return static_cast<u8>(c) < ' '; })) return false;
  text = line;
  return true;
}

bool take_number(std::string_view& rest, std::string_view key, int base, u64& number) {
  std::string text;
  if (!take_text(rest, key, text)) return false;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), number, base);
  return read.ec == std::errc() && read.ptr == text.data() + text.size();
}

}  // namespace

std::string entry_bytes(const SpoolEntry& entry) {
  std::string out = std::string(kFirstLine) + '\n';
  for (const auto& [key, text] : texts_of(entry)) {
    std::string line = *text;
    std::replace_if(line.begin(), line.end(), [](char c) { return static_cast<u8>(c) < ' '; }, '?');
    out += fmt::format("{} {}\n", key, line);
  }
  out += fmt::format("size {}\nhash {:016x}\n\n", entry.parcel.body.size(), hash_of(entry.parcel.body));
  return out + entry.parcel.body;
}

diag::Result<SpoolEntry> read_entry(std::string_view bytes) {
  const diag::Error damaged{.text = "the file is damaged", .hint = {}, .code = diag::ExitCode::damaged_input};
  SpoolEntry entry;
  std::string_view line;
  if (!take_line(bytes, line) || line != kFirstLine) return damaged;
  for (const auto& [key, text] : texts_of(entry)) {
    if (!take_text(bytes, key, *text)) return damaged;
  }
  u64 size = 0, hash = 0;
  constexpr int kDecimal = 10, kHexadecimal = 16;
  if (!take_number(bytes, "size", kDecimal, size) || !take_number(bytes, "hash", kHexadecimal, hash)) return damaged;
  if (!take_line(bytes, line) || !line.empty() || bytes.size() != size || hash_of(bytes) != hash) return damaged;
  if (entry.server.empty() || !entry.parcel.path.starts_with('/')) return damaged;
  entry.parcel.body = bytes;
  return entry;
}

}  // namespace wperf::push
