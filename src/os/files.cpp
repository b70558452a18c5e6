// SPDX-License-Identifier: BSD-3-Clause
#include "os/files.h"

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <system_error>

#include "os/native_path.h"
#include "os/output_file.h"

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

std::string youngest_file(std::string_view ending) {
  std::error_code error;
  std::string youngest;
  std::filesystem::file_time_type newest{};
  for (std::filesystem::directory_iterator at(".", error), end; !error && at != end; at.increment(error)) {
    std::error_code refused;
    const std::string name = utf8_of(at->path().filename());
    if (!name.ends_with(ending) || !at->is_regular_file(refused)) continue;
    const auto written = at->last_write_time(refused);
    if (refused || (!youngest.empty() && written <= newest)) continue;
    youngest = name;
    newest = written;
  }
  return youngest;
}

bool is_pipe_or_device(const std::string& path) {
  std::error_code error;
  const std::filesystem::file_status found = std::filesystem::status(native_path(path), error);
  return std::filesystem::exists(found) && !std::filesystem::is_regular_file(found) &&
         !std::filesystem::is_directory(found);
}

diag::Result<std::string> load_text_file(const std::string& path, size_t limit) {
  std::error_code error;
  if (std::filesystem::is_directory(native_path(path), error))
    return diag::Error{.text = path + " is a directory", .hint = {}, .system_error = EISDIR};
  errno = 0;
  std::ifstream file(native_path(path), std::ios::binary);
  if (!file) return diag::system_error("cannot open " + path, errno);
  std::string text;
  char chunk[16384];
  while (file.read(chunk, sizeof chunk), file.gcount() > 0) {
    text.append(chunk, static_cast<size_t>(file.gcount()));
    if (text.size() > limit) {
      return diag::Error{.text = path + " is larger than " + std::to_string(limit) + " bytes", .hint = {}};
    }
  }
  if (file.bad()) return diag::Error{.text = "cannot read " + path, .hint = {}, .system_error = errno};
  return text;
}

diag::Result<void> save_with_folders(const std::string& path, std::span<const std::byte> bytes) {
  std::error_code error;
  std::filesystem::create_directories(native_path(path).parent_path(), error);
  WPERF_TRY(OutputFile file, OutputFile::create_at_once(path));
  file.write(bytes);
  return file.close();
}

std::string join_path(const std::string& directory, const std::string& name) {
  const auto plain = [](const std::string& text) {
    return std::filesystem::path(std::u8string(text.begin(), text.end()));
  };
  return utf8_of(plain(directory) / plain(name));
}

}  // namespace wperf::os
