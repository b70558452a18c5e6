// SPDX-License-Identifier: BSD-3-Clause
#include "device/perf_events/recording_file_linux.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>

namespace wperf::perf_events {
namespace {

constexpr mode_t kOwnerOnly = 0600;  // as perf does it: a recording tells what somebody's programs do

std::string temporary_folder() {
  const char* folder = std::getenv("TMPDIR");
  return folder != nullptr && *folder != '\0' ? folder : "/tmp";
}

std::span<const std::byte> bytes_of(std::string_view text) {
  return std::as_bytes(std::span(text.data(), text.size()));
}

}  // namespace

diag::Result<RecordingFile> RecordingFile::create(const std::string& path) {
  if (!path.empty()) {
    Descriptor file(open(path.c_str(), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, kOwnerOnly));
    if (file.is_open()) return RecordingFile(std::move(file), path);
    return diag::Error{.text = fmt::format("{} cannot be written: {}", path, std::strerror(errno)), .hint = {}};
  }
  std::string name = temporary_folder() + "/wperf-XXXXXX";
  Descriptor file(mkostemp(name.data(), O_CLOEXEC));
  if (!file.is_open()) {
    return diag::Error{
        .text = fmt::format("no file for the samples can be made in {}: {}", temporary_folder(), std::strerror(errno)),
        .hint = "the environment variable TMPDIR names another folder; --output-perf-data names a file"};
  }
  unlink(name.c_str());
  return RecordingFile(std::move(file), {});
}

std::string RecordingFile::openable_path() const {
  return fmt::format("/proc/self/fd/{}", file_.number());
}

void RecordingFile::fail(int error) {
  trouble_ = diag::Error{
      .text = fmt::format("{} could not be written to its end, and what came later is not in it: {}",
                          path_.empty() ? "the file of samples in " + temporary_folder() : path_, std::strerror(error)),
      .hint =
          path_.empty() ? "the environment variable TMPDIR names another folder; --output-perf-data names a file" : ""};
  // Half a record would make what follows it unreadable. When even this fails, readers see a cut file.
  static_cast<void>(!ftruncate(file_.number(), static_cast<off_t>(size_)));
}

void RecordingFile::append_all(std::span<const std::span<const std::byte>> pieces) {
  std::array<iovec, 2> parts{};
  usize count = 0, left = 0;
  for (const auto& piece : pieces) {
    parts[count++] = {const_cast<std::byte*>(piece.data()), piece.size()};
    left += piece.size();
  }
  if (trouble_.has_value() || left == 0) return;
  const usize all = left;
  iovec* part = parts.data();
  iovec* const end = part + count;
  auto at = static_cast<off_t>(size_);
  while (left != 0) {
    const ssize_t wrote = pwritev(file_.number(), part, static_cast<int>(end - part), at);
    if (wrote < 0 && errno == EINTR) continue;
    if (wrote <= 0) return fail(wrote < 0 ? errno : ENOSPC);
    left -= static_cast<usize>(wrote);
    at += wrote;
    auto passed = static_cast<usize>(wrote);
    while (part != end && passed >= part->iov_len) passed -= (part++)->iov_len;
    if (part == end) break;
    part->iov_base = static_cast<std::byte*>(part->iov_base) + passed;
    part->iov_len -= passed;
  }
  size_ += all;
}

void RecordingFile::append(std::string_view bytes) {
  const std::array<std::span<const std::byte>, 1> pieces{bytes_of(bytes)};
  append_all(pieces);
}

void RecordingFile::append(const RingPieces& pieces) {
  const std::array<std::span<const std::byte>, 2> both{pieces.first, pieces.second};
  append_all(both);
}

void RecordingFile::replace_beginning(std::string_view bytes) {
  if (trouble_.has_value()) return;
  const ssize_t wrote = pwrite(file_.number(), bytes.data(), bytes.size(), 0);
  if (wrote != static_cast<ssize_t>(bytes.size())) fail(wrote < 0 ? errno : ENOSPC);
}

}  // namespace wperf::perf_events
