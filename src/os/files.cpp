// SPDX-License-Identifier: BSD-3-Clause
#include "os/files.h"

#include <filesystem>
#include <fstream>
#include <system_error>

#include "os/native_path.h"
#include "os/process.h"

namespace wperf::os {
namespace {

std::string utf8_of(const std::filesystem::path& path) {
  const std::u8string text = path.u8string();
  return {text.begin(), text.end()};
}

}  // namespace

bool file_exists(const std::string& path) {
  std::error_code error;
  return std::filesystem::is_regular_file(native_path(path), error);
}

diag::Result<std::string> load_text_file(const std::string& path, size_t limit) {
  std::error_code error;
  if (std::filesystem::is_directory(native_path(path), error))
    return diag::Error{.text = path + " is a directory", .hint = {}};
  std::ifstream file(native_path(path), std::ios::binary);
  if (!file) return diag::Error{.text = "cannot open " + path, .hint = {}};
  std::string text;
  char chunk[16384];
  while (file.read(chunk, sizeof chunk), file.gcount() > 0) {
    text.append(chunk, static_cast<size_t>(file.gcount()));
    if (text.size() > limit) {
      return diag::Error{.text = path + " is larger than " + std::to_string(limit) + " bytes", .hint = {}};
    }
  }
  if (file.bad()) return diag::Error{.text = "cannot read " + path, .hint = {}};
  return text;
}

diag::Result<void> save_text_file(const std::string& path, std::string_view text) {
  std::ofstream file(native_path(path), std::ios::trunc);
  if (file) file.write(text.data(), static_cast<std::streamsize>(text.size()));
  if (file) file.flush();
  if (!file) return diag::Error{.text = "cannot write " + path, .hint = {}};
  return {};
}

diag::Result<void> save_file_at_once(const std::string& path, std::span<const std::byte> bytes) {
  std::error_code error;
  std::filesystem::create_directories(native_path(path).parent_path(), error);
  const std::string unfinished = path + ".part" + std::to_string(process_number());
  {
    std::ofstream file(native_path(unfinished), std::ios::trunc | std::ios::binary);
    if (file) file.write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
    if (file) file.flush();
    if (!file) return diag::Error{.text = "cannot write " + unfinished, .hint = {}};
  }
  std::filesystem::rename(native_path(unfinished), native_path(path), error);
  if (error) return diag::Error{.text = "cannot write " + path, .hint = {}};
  return {};
}

std::string join_path(const std::string& directory, const std::string& name) {
  const auto plain = [](const std::string& text) {
    return std::filesystem::path(std::u8string(text.begin(), text.end()));
  };
  return utf8_of(plain(directory) / plain(name));
}

}  // namespace wperf::os
