// SPDX-License-Identifier: BSD-3-Clause
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "os/mapped_file.h"

namespace wperf::os {

diag::Result<MappedFile> MappedFile::open(const std::string& path) {
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);  // a pipe must not make us wait
  if (file < 0) return diag::system_error("cannot open " + path, errno);
  struct stat status{};
  const bool regular = fstat(file, &status) == 0 && S_ISREG(status.st_mode);
  const auto size = static_cast<size_t>(status.st_size);
  void* const memory = regular && size != 0 ? mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file, 0) : nullptr;
  const int error = errno;
  close(file);
  if (!regular) return diag::Error{.text = path + " is no regular file", .hint = {}};
  if (memory == MAP_FAILED) return diag::system_error("cannot map " + path, error);
  return MappedFile(std::span(static_cast<const std::byte*>(memory), size));
}

void MappedFile::release(size_t begin, size_t end) const {
  const auto page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
  begin = begin / page * page;  // else parts that meet within a page leave it there
  end = std::min(end, bytes_.size()) / page * page;
  if (begin < end) madvise(const_cast<std::byte*>(bytes_.data()) + begin, end - begin, MADV_DONTNEED);
}

void MappedFile::unmap() {
  if (!bytes_.empty()) munmap(const_cast<std::byte*>(bytes_.data()), bytes_.size());
  bytes_ = {};
}

}  // namespace wperf::os
