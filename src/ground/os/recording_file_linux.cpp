// SPDX-License-Identifier: BSD-3-Clause
#include <fcntl.h>
#include <sys/uio.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>

#include "ground/os/new_file.h"
#include "ground/os/recording_file.h"

namespace wperf::os {
namespace {

std::string temporary_folder() {
  const char* folder = std::getenv("TMPDIR");
  return folder != nullptr && *folder != '\0' ? folder : "/tmp";
}

std::string path_of(std::intptr_t file) {
  return "/proc/self/fd/" + std::to_string(file);
}

std::span<const std::byte> bytes_of(std::string_view text) {
  return std::as_bytes(std::span(text.data(), text.size()));
}

}  // namespace

diag::Result<RecordingFile> RecordingFile::create(const std::string& path) {
  if (!path.empty()) {
    WPERF_TRY(NewFile file, NewFile::make(path, Readers::owner));
    WPERF_CHECK_OK(file.move_to_place());
    return RecordingFile(file.take_handle(), path, {});
  }
  std::string name = temporary_folder() + "/wperf-XXXXXX";
  const int file = mkostemp(name.data(), O_CLOEXEC);
  if (file < 0) {
    return diag::system_error(
        "cannot create a file for the samples in " + temporary_folder(), errno,
        "set another folder with the environment variable TMPDIR, or a file with --output-perf-data");
  }
  // If /proc is hidden, the file can be opened only by a name.
  RecordingFile made(file, {}, name);
  if (access(path_of(file).c_str(), F_OK) == 0) {
    unlink(name.c_str());
    made.unnamed_.clear();
  }
  return made;
}

RecordingFile::~RecordingFile() {
  if (handle_ != kClosed) ::close(static_cast<int>(handle_));
  if (!unnamed_.empty()) unlink(unnamed_.c_str());
}

// An unnamed file can be read only while it is open, so the file stays open.
void RecordingFile::close() {}

std::string RecordingFile::openable_path() const {
  if (!unnamed_.empty()) return unnamed_;
  const std::string path = path_of(handle_);
  return path_.empty() || access(path.c_str(), F_OK) == 0 ? path : path_;
}

void RecordingFile::fail(int error) {
  error_ = diag::system_error(
      (path_.empty() ? "the file of samples in " + temporary_folder() : path_) +
          " could not be written completely; later samples are missing",
      error,
      path_.empty() ? "set another folder with the environment variable TMPDIR, or a file with --output-perf-data"
                    : "");
  // Half a record would make the data after it unreadable. If even this fails, readers report a truncated file.
  static_cast<void>(!ftruncate(static_cast<int>(handle_), static_cast<off_t>(size_)));
}

void RecordingFile::append(std::span<const std::byte> first, std::span<const std::byte> second) {
  if (error_.has_value()) return;
  std::array<iovec, 2> parts{iovec{const_cast<std::byte*>(first.data()), first.size()},
                             iovec{const_cast<std::byte*>(second.data()), second.size()}};
  iovec* part = parts.data();
  iovec* const end = part + parts.size();
  while (part != end && part->iov_len == 0) ++part;
  auto at = static_cast<off_t>(size_);
  while (part != end) {
    const ssize_t wrote = pwritev(static_cast<int>(handle_), part, static_cast<int>(end - part), at);
    if (wrote < 0 && errno == EINTR) continue;
    if (wrote <= 0) return fail(wrote < 0 ? errno : ENOSPC);
    at += wrote;
    auto passed = static_cast<usize>(wrote);
    while (part != end && passed >= part->iov_len) passed -= (part++)->iov_len;
    if (part == end) break;
    part->iov_base = static_cast<std::byte*>(part->iov_base) + passed;
    part->iov_len -= passed;
  }
  size_ += first.size() + second.size();
}

void RecordingFile::append(std::string_view bytes) {
  append(bytes_of(bytes), {});
}

void RecordingFile::replace_beginning(std::string_view bytes) {
  const ssize_t wrote = pwrite(static_cast<int>(handle_), bytes.data(), bytes.size(), 0);
  if (wrote != static_cast<ssize_t>(bytes.size()) && !error_.has_value()) fail(wrote < 0 ? errno : ENOSPC);
}

}  // namespace wperf::os
