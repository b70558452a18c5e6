// SPDX-License-Identifier: BSD-3-Clause
#include <windows.h>

#include "ground/os/files.h"
#include "ground/os/wide_text_win.h"

namespace wperf::os {
namespace {

// A folder must leave room for an 8.3 name below it.
constexpr size_t kLongestShortPath = MAX_PATH - 13;

}  // namespace

std::filesystem::path native_path(const std::string& utf8) {
  std::wstring wide = wide_of(utf8);
  if (wide.size() < kLongestShortPath && !std::filesystem::path(wide).is_relative()) return {wide};
  const DWORD needed = GetFullPathNameW(wide.c_str(), 0, nullptr, nullptr);
  std::wstring full(needed, L'\0');
  const DWORD length = GetFullPathNameW(wide.c_str(), needed, full.data(), nullptr);
  if (length < kLongestShortPath || length >= needed) return {wide};
  full.resize(length);
  if (full.starts_with(L"\\\\?\\") || full.starts_with(L"\\\\.\\")) return {full};
  return {full.starts_with(L"\\\\") ? L"\\\\?\\UNC" + full.substr(1) : L"\\\\?\\" + full};
}

// The lock: the file is opened without sharing, so nobody else can open it.
diag::Result<std::optional<FileLock>> FileLock::take(const std::string& path) {
  HANDLE const file = CreateFileW(wide_of(path).c_str(), GENERIC_READ | GENERIC_WRITE, 0, nullptr, OPEN_ALWAYS,
                                  FILE_ATTRIBUTE_NORMAL, nullptr);
  if (file == INVALID_HANDLE_VALUE && GetLastError() == ERROR_SHARING_VIOLATION) return std::optional<FileLock>();
  if (file == INVALID_HANDLE_VALUE) return diag::Error{.text = "cannot open " + path, .hint = {}};
  return std::optional(FileLock(reinterpret_cast<std::intptr_t>(file)));
}

FileLock::~FileLock() {
  if (handle_ != kNone) CloseHandle(reinterpret_cast<HANDLE>(handle_));
}

}  // namespace wperf::os
