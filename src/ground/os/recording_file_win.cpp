// SPDX-License-Identifier: BSD-3-Clause
#include <windows.h>

#include <algorithm>

#include "ground/os/files.h"
#include "ground/os/handles_win.h"
#include "ground/os/new_file.h"
#include "ground/os/recording_file.h"
#include "ground/os/wide_text_win.h"

namespace wperf::os {
namespace {

std::wstring temporary_name() {
  wchar_t folder[MAX_PATH + 1] = {}, name[MAX_PATH + 1] = {};
  const DWORD size = GetTempPathW(MAX_PATH + 1, folder);
  if (size == 0 || size > MAX_PATH || GetTempFileNameW(folder, L"wpf", 0, name) == 0) return {};
  return name;
}

bool write_at(HANDLE file, u64 offset, std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    OVERLAPPED place{};
    place.Offset = static_cast<DWORD>(offset);
    place.OffsetHigh = static_cast<DWORD>(offset >> 32);
    constexpr size_t kMost = size_t{64} << 20;
    DWORD wrote = 0;
    const auto part = static_cast<DWORD>(std::min(bytes.size(), kMost));
    if (WriteFile(file, bytes.data(), part, &wrote, &place) == 0 || wrote == 0) return false;
    bytes = bytes.subspan(wrote);
    offset += wrote;
  }
  return true;
}

}  // namespace

diag::Result<RecordingFile> RecordingFile::create(const std::string& path) {
  if (!path.empty()) {
    WPERF_TRY(NewFile made, NewFile::make(path, Readers::owner));
    WPERF_CHECK_OK(made.move_to_place());
    return RecordingFile(made.take_handle(), path, {});
  }
  const std::wstring name = temporary_name();
  const HANDLE file = name.empty() ? INVALID_HANDLE_VALUE
                                   : CreateFileW(name.c_str(), GENERIC_READ | GENERIC_WRITE, FILE_SHARE_READ, nullptr,
                                                 CREATE_ALWAYS, FILE_ATTRIBUTE_NORMAL, nullptr);
  if (file == INVALID_HANDLE_VALUE) {
    return diag::Error{
        .text = "cannot create a file for the samples in the folder for temporary files",
        .hint = "set another folder with the environment variable TMP, or a file with --output-perf-data"};
  }
  return RecordingFile(reinterpret_cast<std::intptr_t>(file), {}, utf8_of(name));
}

RecordingFile::~RecordingFile() {
  close();
  if (!unnamed_.empty()) DeleteFileW(native_path(unnamed_).c_str());
}

void RecordingFile::close() {
  if (handle_ != kClosed) CloseHandle(handle_of(handle_));
  handle_ = kClosed;
}

std::string RecordingFile::openable_path() const {
  return path_.empty() ? unnamed_ : path_;
}

void RecordingFile::fail(int) {
  error_ = diag::Error{.text = (path_.empty() ? "the file of samples" : path_) +
                               " could not be written completely; later samples are missing",
                       .hint = {}};
}

void RecordingFile::append(std::span<const std::byte> first, std::span<const std::byte> second) {
  if (error_.has_value() || handle_ == kClosed) return;
  if (!write_at(handle_of(handle_), size_, first) || !write_at(handle_of(handle_), size_ + first.size(), second)) {
    return fail(0);
  }
  size_ += first.size() + second.size();
}

void RecordingFile::append(std::string_view bytes) {
  append(std::as_bytes(std::span(bytes.data(), bytes.size())), {});
}

void RecordingFile::replace_beginning(std::string_view bytes) {
  const auto all = std::as_bytes(std::span(bytes.data(), bytes.size()));
  if (!write_at(handle_of(handle_), 0, all) && !error_.has_value()) fail(0);
}

}  // namespace wperf::os
