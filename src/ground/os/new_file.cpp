// SPDX-License-Identifier: BSD-3-Clause
#include "ground/os/new_file.h"

#include <cerrno>
#include <filesystem>
#include <random>
#include <system_error>
#include <utility>

#include "ground/os/files.h"

namespace wperf::os {
namespace {

std::string temporary_name_for(const std::string& path) {
  constexpr char kDigits[] = "0123456789abcdefghijklmnopqrstuv";
  std::random_device random;
  std::string name = path + ".part-";
  for (int i = 0; i < 12; ++i) name += kDigits[random() % 32];
  return name;
}

diag::Error cannot_write(const std::string& path, int error) {
  return diag::system_error("cannot write " + path, error);
}

}  // namespace

diag::Result<NewFile> NewFile::make(const std::string& path, Readers readers) {
  errno = 0;
  const new_file::Place place = new_file::place_at(path);
  if (place == new_file::Place::folder) return cannot_write(path, EISDIR);
  if (place == new_file::Place::barred) return cannot_write(path, EPERM);
  if (place == new_file::Place::stream) {
    const std::intptr_t handle = new_file::open_stream(path);
    if (handle == kTaken) return cannot_write(path, errno);
    return NewFile(handle, path, {}, {});
  }
  constexpr int kTries = 4;  // with 2^60 names, a collision is very rare
  for (int i = 0; i < kTries; ++i) {
    std::string temporary = temporary_name_for(path);
    UnfinishedFile unfinished(temporary);  // registered before it exists, so that it is always removed
    const std::intptr_t handle = new_file::create(temporary, readers);
    if (handle != kTaken) return NewFile(handle, path, std::move(temporary), std::move(unfinished));
    if (errno != EEXIST) break;
  }
  return cannot_write(path, errno);
}

NewFile::NewFile(NewFile&& other) noexcept
    : handle_(std::exchange(other.handle_, kTaken)),
      path_(std::move(other.path_)),
      temporary_path_(std::exchange(other.temporary_path_, {})),
      unfinished_(std::move(other.unfinished_)) {}

NewFile::~NewFile() {
  if (handle_ != kTaken) new_file::close(handle_);
  if (!temporary_path_.empty()) new_file::remove(temporary_path_);
}

std::intptr_t NewFile::take_handle() {
  return std::exchange(handle_, kTaken);
}

std::FILE* NewFile::take_stream(bool text) {
  std::FILE* const stream = new_file::stream_of(handle_, text);
  if (stream != nullptr) handle_ = kTaken;
  return stream;
}

diag::Result<void> NewFile::move_to_place() {
  if (temporary_path_.empty()) return {};
  errno = 0;
  if (!new_file::rename(temporary_path_, path_)) return cannot_write(path_, errno);
  temporary_path_.clear();
  unfinished_.forget();
  return {};
}

diag::Result<void> check_output(const std::string& path) {
  if (new_file::place_at(path) == new_file::Place::stream) {
    errno = 0;
    if (!new_file::may_write_stream(path)) return cannot_write(path, errno);
    return {};
  }
  WPERF_TRY(const NewFile tried, NewFile::make(path, Readers::owner));
  return {};
}

diag::Result<void> make_private_folder(const std::string& path) {
  std::error_code error;
  const std::filesystem::path native = native_path(path);
  const bool is_there = std::filesystem::is_directory(native, error);
  if (!is_there) std::filesystem::create_directories(native.parent_path(), error);
  errno = 0;
  if (!is_there && !new_file::make_folder(path) && !std::filesystem::is_directory(native, error))
    return diag::system_error("the folder " + path + " cannot be created", errno);
  if (new_file::is_own_folder(path)) return {};
  return diag::Error{.text = "other users may write to the folder " + path,
                     .hint = "name a folder that belongs to this user and that nobody else may write to"};
}

}  // namespace wperf::os
