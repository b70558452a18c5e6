// SPDX-License-Identifier: BSD-3-Clause
#include <fcntl.h>
#include <io.h>
#include <windows.h>

#include <cerrno>
#include <cstdio>
#include <system_error>

#include "ground/os/files.h"
#include "ground/os/handles_win.h"
#include "ground/os/new_file.h"

namespace wperf::os::new_file {
namespace {

// Keeps the last error of Windows.
void keep_error() {
  const auto error = static_cast<int>(GetLastError());
  errno = std::error_code(error, std::system_category()).default_error_condition().value();
}

bool succeeded(BOOL result) {
  if (result == FALSE) keep_error();
  return result != FALSE;
}

std::intptr_t kept(HANDLE file) {
  if (file != INVALID_HANDLE_VALUE) return reinterpret_cast<std::intptr_t>(file);
  keep_error();
  return -1;
}

constexpr DWORD kShareAll = FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE;

}  // namespace

// Names such as NUL and COM1 are devices in every folder; only an opened handle shows this.
Place place_at(const std::string& path) {
  const HANDLE file = CreateFileW(native_path(path).c_str(), FILE_READ_ATTRIBUTES, kShareAll, nullptr, OPEN_EXISTING,
                                  FILE_FLAG_OPEN_REPARSE_POINT | FILE_FLAG_BACKUP_SEMANTICS, nullptr);
  if (file == INVALID_HANDLE_VALUE) return Place::free_or_file;
  BY_HANDLE_FILE_INFORMATION facts{};
  const bool on_disk = GetFileType(file) == FILE_TYPE_DISK && GetFileInformationByHandle(file, &facts) != 0;
  CloseHandle(file);
  if (!on_disk) return Place::stream;
  constexpr DWORD kFolderOrLink = FILE_ATTRIBUTE_DIRECTORY | FILE_ATTRIBUTE_REPARSE_POINT;
  return (facts.dwFileAttributes & kFolderOrLink) == FILE_ATTRIBUTE_DIRECTORY ? Place::folder : Place::free_or_file;
}

// Allows moving the file while it is open. The folder decides who may read the file.
std::intptr_t create(const std::string& path, Readers) {
  return kept(CreateFileW(native_path(path).c_str(), GENERIC_READ | GENERIC_WRITE, FILE_SHARE_READ | FILE_SHARE_DELETE,
                          nullptr, CREATE_NEW, FILE_ATTRIBUTE_NORMAL, nullptr));
}

std::intptr_t open_stream(const std::string& path) {
  const HANDLE file = CreateFileW(native_path(path).c_str(), GENERIC_WRITE, kShareAll, nullptr, OPEN_EXISTING,
                                  FILE_ATTRIBUTE_NORMAL, nullptr);
  if (file == INVALID_HANDLE_VALUE || GetFileType(file) != FILE_TYPE_DISK) return kept(file);
  CloseHandle(file);
  errno = EEXIST;
  return -1;
}

bool may_write_stream(const std::string&) {
  return true;  // only opening it would show this, but that could disturb a program at the other end of a pipe
}

std::FILE* stream_of(std::intptr_t handle, bool text) {
  const int file = _open_osfhandle(handle, text ? _O_TEXT : _O_BINARY);
  return file < 0 ? nullptr : _fdopen(file, text ? "w" : "wb");
}

void close(std::intptr_t handle) {
  CloseHandle(handle_of(handle));
}

void remove(const std::string& path) {
  DeleteFileW(native_path(path).c_str());
}

bool rename(const std::string& from, const std::string& to) {
  return succeeded(MoveFileExW(native_path(from).c_str(), native_path(to).c_str(), MOVEFILE_REPLACE_EXISTING));
}

bool make_folder(const std::string& path) {
  return succeeded(CreateDirectoryW(native_path(path).c_str(), nullptr));
}

bool is_own_folder(const std::string& /*path*/) {
  return true;
}

}  // namespace wperf::os::new_file
