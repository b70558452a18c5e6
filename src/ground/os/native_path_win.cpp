// SPDX-License-Identifier: BSD-3-Clause
#include <windows.h>

#include "ground/os/native_path.h"
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

}  // namespace wperf::os
