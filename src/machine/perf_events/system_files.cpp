// SPDX-License-Identifier: BSD-3-Clause
#include "machine/perf_events/system_files.h"

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <system_error>

namespace wperf::perf_events {
namespace {

constexpr usize kMostBytes = 1 << 20;

struct CloseFile {
  void operator()(std::FILE* file) const { std::fclose(file); }
};

}  // namespace

// These files report no real sizes, so they are read up to the end.
std::optional<std::string> SystemFiles::text(const std::string& path) const {
  const std::unique_ptr<std::FILE, CloseFile> file(std::fopen((root_ + path).c_str(), "rbe"));
  if (file == nullptr) return std::nullopt;
  std::string text;
  char block[4096];
  while (text.size() < kMostBytes) {
    const usize got = std::fread(block, 1, sizeof block, file.get());
    if (got == 0) break;
    text.append(block, got);
  }
  if (std::ferror(file.get()) != 0) return std::nullopt;
  while (!text.empty() && (text.back() == '\n' || text.back() == '\0')) text.pop_back();
  return text;
}

std::optional<u64> SystemFiles::number(const std::string& path) const {
  const auto read = text(path);
  if (!read.has_value()) return std::nullopt;
  std::string_view digits = *read;
  const bool hexadecimal = digits.starts_with("0x");
  if (hexadecimal) digits.remove_prefix(2);
  u64 value = 0;
  const auto end = std::from_chars(digits.data(), digits.data() + digits.size(), value, hexadecimal ? 16 : 10);
  if (end.ec != std::errc{} || end.ptr != digits.data() + digits.size()) return std::nullopt;
  return value;
}

std::vector<std::string> SystemFiles::names(const std::string& folder) const {
  std::vector<std::string> names;
  std::error_code error;
  for (std::filesystem::directory_iterator entry(root_ + folder, error), end; !error && entry != end;
       entry.increment(error)) {
    names.push_back(entry->path().filename().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

std::vector<u32> SystemFiles::numbers(const std::string& folder) const {
  std::vector<u32> numbers;
  for (const std::string& name : names(folder)) {
    u32 number = 0;
    const auto end = std::from_chars(name.data(), name.data() + name.size(), number);
    if (end.ec == std::errc{} && end.ptr == name.data() + name.size()) numbers.push_back(number);
  }
  return numbers;
}

bool SystemFiles::exists(const std::string& path) const {
  std::error_code error;
  return std::filesystem::exists(root_ + path, error);
}

}  // namespace wperf::perf_events
