// SPDX-License-Identifier: BSD-3-Clause
#include "ground/os/files.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <memory>
#include <system_error>
#include <vector>

#include "ground/os/output_file.h"

#ifdef _WIN32
#include <fcntl.h>
#include <io.h>
#endif

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

u64 file_size(const std::string& path) {
  std::error_code error;
  const auto size = std::filesystem::file_size(native_path(path), error);
  return error ? 0 : size;
}

u64 free_bytes(const std::string& path) {
  std::error_code error;
  const std::filesystem::path folder = std::filesystem::absolute(native_path(path), error).parent_path();
  const std::filesystem::space_info space = std::filesystem::space(folder, error);
  return error ? 0 : space.available;
}

u64 last_change_unix_ns(const std::string& path) {
  using std::chrono::duration_cast, std::chrono::nanoseconds, std::chrono::system_clock;
  std::error_code error;
  const auto written = std::filesystem::last_write_time(native_path(path), error);
  const auto since_1970 =
      error ? system_clock::now().time_since_epoch() : std::chrono::file_clock::to_sys(written).time_since_epoch();
  return static_cast<u64>(std::max(duration_cast<nanoseconds>(since_1970), nanoseconds::zero()).count());
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

bool is_same_file(const std::string& path, const std::string& other) {
  std::error_code error;
  return std::filesystem::equivalent(native_path(path), native_path(other), error) && !error;
}

bool would_be_one_file(const std::string& path, const std::string& other) {
  std::error_code error;
  const std::filesystem::path here = native_path(path), there = native_path(other);
  if (std::filesystem::exists(here, error))
    return is_same_file(path, other) && std::filesystem::is_regular_file(here, error);
  return std::filesystem::absolute(here, error).lexically_normal() ==
         std::filesystem::absolute(there, error).lexically_normal();
}

diag::Result<void> write_into(const std::string& path, u64 offset, std::span<const std::byte> bytes) {
  errno = 0;
  std::fstream file(native_path(path), std::ios::binary | std::ios::in | std::ios::out);
  file.seekp(static_cast<std::streamoff>(offset));
  file.write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  file.close();
  if (!file) return diag::system_error(path + " cannot be written", errno);
  return {};
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

diag::Result<void> save_with_folders(const std::string& path, std::span<const std::byte> bytes, Readers readers) {
  std::error_code error;
  std::filesystem::create_directories(native_path(path).parent_path(), error);
  WPERF_TRY(OutputFile file, OutputFile::create(path, readers));
  file.write(bytes);
  return file.close();
}

void remove_file(const std::string& path) {
  std::error_code error;
  std::filesystem::remove(native_path(path), error);
}

std::string real_path(const std::string& path) {
  std::error_code error;
  const std::filesystem::path real = std::filesystem::canonical(native_path(path), error);
  return error ? std::string() : utf8_of(real);
}

std::string join_path(const std::string& directory, const std::string& name) {
  const auto plain = [](const std::string& text) {
    return std::filesystem::path(std::u8string(text.begin(), text.end()));
  };
  return utf8_of(plain(directory) / plain(name));
}

void remove_oldest_files(const std::string& folder, std::uint64_t limit) {
  struct CachedFile {
    std::filesystem::file_time_type written;
    std::uint64_t size = 0;
    std::filesystem::path path;
  };
  std::vector<CachedFile> files;
  std::uint64_t sum = 0;
  std::error_code error;
  for (std::filesystem::directory_iterator at(native_path(folder), error), end; !error && at != end;
       at.increment(error)) {
    // A file may be gone by now, so each call has its own error.
    std::error_code type_error, size_error, time_error;
    if (!at->is_regular_file(type_error) || type_error) continue;
    const std::uint64_t size = at->file_size(size_error);
    const auto written = at->last_write_time(time_error);
    if (size_error || time_error) continue;
    files.push_back({written, size, at->path()});
    sum += size;
  }
  if (sum <= limit) return;
  std::sort(files.begin(), files.end(), [](const CachedFile& a, const CachedFile& b) { return a.written < b.written; });
  for (const CachedFile& one : files) {
    if (sum <= limit) return;
    std::error_code remove_error;
    if (std::filesystem::remove(one.path, remove_error)) sum -= one.size;
  }
}

namespace {

struct Closing {
  void operator()(std::FILE* file) const {
    if (file != stdin) std::fclose(file);
  }
};
using OpenStream = std::unique_ptr<std::FILE, Closing>;

OpenStream open_stream(const std::string& path) {
#ifdef _WIN32
  if (path != kStandardInput) return OpenStream(_wfopen(native_path(path).c_str(), L"rb"));
  _setmode(_fileno(stdin), _O_BINARY);
#else
  if (path != kStandardInput) return OpenStream(std::fopen(path.c_str(), "rb"));
#endif
  return OpenStream(stdin);
}

}  // namespace

bool is_stream(const std::string& path) {
  std::error_code error;
  return path == kStandardInput ||
         std::filesystem::status(native_path(path), error).type() == std::filesystem::file_type::fifo;
}

bool is_folder(const std::string& path) {
  std::error_code error;
  return std::filesystem::is_directory(native_path(path), error);
}

diag::Result<std::vector<std::byte>> read_stream(const std::string& path) {
  constexpr size_t kPiece = 1 << 20;
  const std::string name = path == kStandardInput ? "standard input" : path;
  const OpenStream stream = open_stream(path);
  if (stream == nullptr) return diag::system_error("cannot open " + name, errno);
  std::vector<std::byte> bytes;
  size_t size = 0, got = 0;
  do {
    bytes.resize(size + kPiece);
    got = std::fread(bytes.data() + size, 1, kPiece, stream.get());
    size += got;
  } while (got != 0);
  if (std::ferror(stream.get()) != 0) {
    return diag::system_error("cannot read " + name, errno);
  }
  bytes.resize(size);
  return bytes;
}

}  // namespace wperf::os
