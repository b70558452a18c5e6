// SPDX-License-Identifier: BSD-3-Clause
// Reads, writes and sizes of open files, by their numbers.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sim/nt/guest_files.h"

namespace wperf::sim {

bool GuestFiles::is_open(u32 number) const {
  return number < files_.size() && files_[number] >= 0;
}

std::optional<usize> GuestFiles::read(u32 number, std::span<char> out) {
  if (!is_open(number)) return std::nullopt;
  const ssize_t got = ::read(files_[number], out.data(), out.size());
  return got < 0 ? std::nullopt : std::optional<usize>(static_cast<usize>(got));
}

bool GuestFiles::grow(std::int64_t bytes) {
  if (!room_) return true;
  if (bytes > 0 && static_cast<u64>(bytes) > *room_) return false;
  *room_ -= static_cast<u64>(bytes);
  return true;
}

std::optional<usize> GuestFiles::write(u32 number, std::span<const char> bytes) {
  if (!is_open(number)) return std::nullopt;
  if (room_) {
    struct stat status{};
    if (::fstat(files_[number], &status) != 0) return std::nullopt;
    const bool appends = (::fcntl(files_[number], F_GETFL) & O_APPEND) != 0;
    const off_t at = appends ? status.st_size : ::lseek(files_[number], 0, SEEK_CUR);
    const std::int64_t more = at + static_cast<std::int64_t>(bytes.size()) - status.st_size;
    if (at < 0 || (more > 0 && !grow(more))) return std::nullopt;
  }
  const ssize_t done = ::write(files_[number], bytes.data(), bytes.size());
  if (done > 0) note_modified(number, FolderChange::kSize | FolderChange::kWritten);
  return done < 0 ? std::nullopt : std::optional<usize>(static_cast<usize>(done));
}

std::optional<u64> GuestFiles::seek(u32 number, std::int64_t offset, From from) {
  if (!is_open(number)) return std::nullopt;
  const int whence = from == From::start ? SEEK_SET : from == From::here ? SEEK_CUR : SEEK_END;
  const off_t place = ::lseek(files_[number], offset, whence);
  return place < 0 ? std::nullopt : std::optional<u64>(static_cast<u64>(place));
}

bool GuestFiles::resize(u32 number, u64 bytes) {
  constexpr u64 kLargest = u64{1} << 40;
  struct stat status{};
  if (!is_open(number) || bytes > kLargest || ::fstat(files_[number], &status) != 0) return false;
  const std::int64_t more = static_cast<std::int64_t>(bytes) - status.st_size;
  if (!grow(more) || ::ftruncate(files_[number], static_cast<off_t>(bytes)) != 0) return false;
  note_modified(number, FolderChange::kSize | FolderChange::kWritten);
  return true;
}

std::shared_ptr<nt::HostMemory> GuestFiles::map(u32 number, u64 bytes, bool writes) const {
  return is_open(number) ? nt::HostMemory::of_file(files_[number], bytes, writes) : nullptr;
}

bool GuestFiles::close(u32 number) {
  if (!is_open(number)) return false;
  ::close(files_[number]);
  files_[number] = -1;
  return true;
}

}  // namespace wperf::sim
