// SPDX-License-Identifier: BSD-3-Clause
// The folder for files that the processes of one user share: the driver's lock, and the socket of a machine that stays
// on. Linux only.
#pragma once
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <string>
#include <string_view>
#include <system_error>

namespace wperf::sim {

// Machines of one user with different names are separate.
inline bool is_instance_name(std::string_view name) {
  constexpr std::string_view kAllowed = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-";
  return !name.empty() && name.size() <= 64 && name.find_first_not_of(kAllowed) == std::string_view::npos;
}

struct RuntimeFolder {
  std::string path;
  std::string error, hint;  // empty = fine
};

inline bool is_private_folder(const std::string& path) {
  struct stat info{};
  return ::lstat(path.c_str(), &info) == 0 && S_ISDIR(info.st_mode) && info.st_uid == ::geteuid() &&
         (info.st_mode & (S_IWGRP | S_IWOTH)) == 0;
}

// The user's folder below the folder for temporary files. Makes it if it does not exist.
inline RuntimeFolder own_temporary_folder() {
  RuntimeFolder own{"/tmp/wperf-" + std::to_string(::geteuid()), {}, {}};
  if (::mkdir(own.path.c_str(), S_IRWXU) != 0 && errno != EEXIST) {
    own.error = "cannot create the folder " + own.path +
                " for the simulated machine: " + std::error_code(errno, std::generic_category()).message();
  } else if (!is_private_folder(own.path)) {
    own.error = "the folder " + own.path + " for the simulated machine is accessible to other users";
  }
  if (!own.error.empty()) own.hint = "set XDG_RUNTIME_DIR to a folder that only this user can write";
  return own;
}

// $XDG_RUNTIME_DIR, or if that is not set or not private, the folder above.
inline RuntimeFolder runtime_folder() {
  const char* const runtime = std::getenv("XDG_RUNTIME_DIR");
  if (runtime != nullptr && runtime[0] == '/' && is_private_folder(runtime)) return {runtime, {}, {}};
  return own_temporary_folder();
}

}  // namespace wperf::sim
