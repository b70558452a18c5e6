// SPDX-License-Identifier: BSD-3-Clause
#include "app/push/spool.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <filesystem>
#include <system_error>
#include <utility>

#include "ground/os/files.h"
#include "ground/os/process.h"
#include "ground/text/hash.h"

namespace wperf::push {
namespace {

constexpr std::string_view kFirstLine = "wperf-spool 1";
constexpr usize kLongestLine = 64 << 10;

// The lines of an entry. Each line exists once, in this order.
template <class Entry>
auto texts_of(Entry& entry) {
  return std::array{std::pair{std::string_view("server"), &entry.server},
                    std::pair{std::string_view("tenant"), &entry.tenant},
                    std::pair{std::string_view("name"), &entry.name},
                    std::pair{std::string_view("path"), &entry.upload.path},
                    std::pair{std::string_view("type"), &entry.upload.content_type},
                    std::pair{std::string_view("encoding"), &entry.upload.content_encoding}};
}

// Returns false if there are no more lines.
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
  // Control characters are refused, because the text becomes a line of a request.
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
  out += fmt::format("size {}\nhash {:016x}\n\n", entry.upload.body.size(), text::fnv1a(entry.upload.body));
  return out + entry.upload.body;
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
  if (!take_line(bytes, line) || !line.empty() || bytes.size() != size || text::fnv1a(bytes) != hash) return damaged;
  if (entry.server.empty() || !entry.upload.path.starts_with('/')) return damaged;
  entry.upload.body = bytes;
  return entry;
}

namespace {

constexpr std::string_view kEnding = ".wpush", kAside = ".damaged";
constexpr u64 kMostBytes = u64{1} << 30;  // limit for one file, because another wperf may have used a larger limit

struct FileInFolder {
  // begins with the time at which the file was added, so that files sorted by name are sorted by time
  std::string name;
  u64 size = 0;
};

std::vector<FileInFolder> files_of(const std::string& folder) {
  std::vector<FileInFolder> files;
  std::error_code error;
  for (std::filesystem::directory_iterator at(os::native_path(folder), error), end; !error && at != end;
       at.increment(error)) {
    std::error_code type_error, size_error;
    const std::u8string name = at->path().filename().u8string();
    // Skips foreign files, but not files that are still being written.
    if (name.find(u8".wpush") == std::u8string::npos || !at->is_regular_file(type_error) || type_error) continue;
    const u64 size = at->file_size(size_error);
    if (!size_error) files.push_back({{name.begin(), name.end()}, size});
  }
  std::sort(files.begin(), files.end(), [](const auto& a, const auto& b) { return a.name < b.name; });
  return files;
}

}  // namespace

diag::Result<Spool> Spool::open(const std::string& folder, u64 limit_bytes) {
  WPERF_CHECK_OK(os::make_private_folder(folder));
  return Spool(folder, limit_bytes);
}

void Spool::make_room(u64 bytes, Added& added) const {
  std::vector<FileInFolder> files = files_of(folder_);
  u64 sum = bytes;
  for (const FileInFolder& file : files) sum += file.size;
  // Files that will never be sent are removed first.
  std::stable_partition(files.begin(), files.end(),
                        [](const FileInFolder& file) { return !file.name.ends_with(kEnding); });
  for (const FileInFolder& file : files) {
    if (sum <= limit_bytes_) return;
    remove(file.name);
    sum -= file.size;
    if (!file.name.ends_with(kEnding)) continue;
    ++added.dropped;
    added.dropped_bytes += file.size;
  }
}

diag::Result<Spool::Added> Spool::add(const SpoolEntry& entry) {
  const std::string bytes = entry_bytes(entry);
  if (bytes.size() > limit_bytes_) {
    return diag::Error{
        .text = fmt::format("{} has {} bytes, more than the spool folder may hold", entry.name, bytes.size()),
        .hint = "raise the limit with --spool-limit"};
  }
  Added added;
  make_room(bytes.size(), added);
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  added.file = fmt::format("{:020}-{}-{}{}", std::chrono::duration_cast<std::chrono::nanoseconds>(now).count(),
                           os::process_number(), added_++, kEnding);
  WPERF_CHECK_OK(
      os::save_with_folders(os::join_path(folder_, added.file), std::as_bytes(std::span(bytes)), os::Readers::owner));
  return added;
}

std::vector<std::string> Spool::files() const {
  std::vector<std::string> names;
  for (FileInFolder& file : files_of(folder_)) {
    if (file.name.ends_with(kEnding)) names.push_back(std::move(file.name));
  }
  return names;
}

std::optional<diag::Result<SpoolEntry>> Spool::read(const std::string& file) const {
  const std::string path = os::join_path(folder_, file);
  if (!os::file_exists(path)) return std::nullopt;
  auto bytes = os::load_text_file(path, std::max(limit_bytes_, kMostBytes));
  if (!bytes.has_value())
    return os::file_exists(path) ? std::optional(diag::Result<SpoolEntry>(bytes.error())) : std::nullopt;
  return read_entry(bytes.value());
}

void Spool::remove(const std::string& file) const {
  std::error_code error;
  std::filesystem::remove(os::native_path(os::join_path(folder_, file)), error);
}

std::string Spool::set_aside(const std::string& file) const {
  std::error_code error;
  const std::string aside = file + std::string(kAside);
  std::filesystem::rename(os::native_path(os::join_path(folder_, file)), os::native_path(os::join_path(folder_, aside)),
                          error);
  if (error) remove(file);
  return aside;
}

diag::Result<std::optional<os::FileLock>> Spool::lock() const {
  return os::FileLock::take(os::join_path(folder_, "lock"));
}

}  // namespace wperf::push
