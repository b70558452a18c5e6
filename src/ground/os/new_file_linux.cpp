// SPDX-License-Identifier: BSD-3-Clause
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <optional>

#include "ground/os/new_file.h"

namespace wperf::os::new_file {
namespace {

// The system's names of open files, which may be ordinary files: /dev/stdout, /dev/fd/3, /proc/self/fd/3.
bool is_name_of_system(const std::string& path) {
  return path.starts_with("/dev/") || path.starts_with("/proc/");
}

std::string folder_of(const std::string& path) {
  const size_t slash = path.rfind('/');
  if (slash == std::string::npos) return ".";
  return slash == 0 ? "/" : path.substr(0, slash);
}

// A folder like /tmp: anybody may create a file there, and only its owner may rename or remove it.
std::optional<uid_t> owner_of_shared_folder(const std::string& path) {
  struct stat folder{};
  const bool is_shared = stat(folder_of(path).c_str(), &folder) == 0 && (folder.st_mode & S_ISVTX) != 0;
  return is_shared ? std::optional(folder.st_uid) : std::nullopt;
}

// A file that this user cannot replace.
bool is_barred(const std::string& path, const struct stat& found) {
  const uid_t user = geteuid();
  return user != 0 && found.st_uid != user && owner_of_shared_folder(path).value_or(user) != user;
}

// Another user may have made this pipe or link in a shared folder to get the output.
bool is_trap(const std::string& path, const struct stat& found) {
  return found.st_uid != geteuid() && owner_of_shared_folder(path).has_value();
}

}  // namespace

Place place_at(const std::string& path) {
  struct stat found{}, named{};  // with links followed, and the link itself
  const bool is_there = stat(path.c_str(), &found) == 0, is_named = lstat(path.c_str(), &named) == 0;
  if (is_there && S_ISDIR(found.st_mode)) return Place::folder;
  if (is_there && (!S_ISREG(found.st_mode) || is_name_of_system(path)))
    return is_named && is_trap(path, named) ? Place::barred : Place::stream;
  return is_named && is_barred(path, named) ? Place::barred : Place::free_or_file;
}

std::intptr_t create(const std::string& path, Readers readers) {
  constexpr mode_t kOwner = 0600, kUsual = 0666;  // before the umask is applied
  return ::open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
                readers == Readers::owner ? kOwner : kUsual);
}

std::intptr_t open_stream(const std::string& path) {
  const int file = ::open(path.c_str(), O_WRONLY | O_CLOEXEC | O_NOCTTY);
  if (file < 0) return -1;
  // It may have been replaced in the meantime, by a link to a file or by the pipe of another user.
  struct stat found{};
  const bool is_file = fstat(file, &found) != 0 || S_ISREG(found.st_mode);
  const bool is_pipe = S_ISFIFO(found.st_mode) && is_trap(path, found);
  if ((!is_file && !is_pipe) || (is_file && is_name_of_system(path) && ftruncate(file, 0) == 0)) return file;
  ::close(file);
  errno = EEXIST;
  return -1;
}

bool may_write_stream(const std::string& path) {
  return access(path.c_str(), W_OK) == 0;
}

std::FILE* stream_of(std::intptr_t handle, bool) {
  return fdopen(static_cast<int>(handle), "w");
}

void close(std::intptr_t handle) {
  ::close(static_cast<int>(handle));
}

void remove(const std::string& path) {
  ::unlink(path.c_str());
}

bool rename(const std::string& from, const std::string& to) {
  return ::rename(from.c_str(), to.c_str()) == 0;
}

bool make_folder(const std::string& path) {
  constexpr mode_t kOwner = 0700;
  return mkdir(path.c_str(), kOwner) == 0;
}

bool is_own_folder(const std::string& path) {
  struct stat found{};
  return stat(path.c_str(), &found) == 0 && found.st_uid == geteuid() && (found.st_mode & (S_IWGRP | S_IWOTH)) == 0;
}

}  // namespace wperf::os::new_file
