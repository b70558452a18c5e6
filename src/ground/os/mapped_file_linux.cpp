// SPDX-License-Identifier: BSD-3-Clause
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "ground/os/mapped_file.h"
#include "ground/os/mapping_watch.h"

namespace wperf::os {

bool MappedFile::has_shrunk() const {
  return watch_ != nullptr && watch_->has_shrunk();
}

std::vector<std::string> MappedFile::take_shrunk() {
  return MappingWatch::take_shrunk();
}

diag::Result<MappedFile> MappedFile::open_as(const std::string& path, const std::string& name) {
  WPERF_TRY(MappedFile file, open(path));
  file.report_as(name);
  return file;
}

diag::Result<MappedFile> MappedFile::open_descriptor(int file, const std::string& name) {
  WPERF_TRY(MappedFile mapped, map(file, name));
  mapped.report_as(name);
  return mapped;
}

void MappedFile::report_as(const std::string& name) {
  if (watch_ != nullptr) watch_->report_as(name);
}

diag::Result<MappedFile> MappedFile::open(const std::string& path) {
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);  // opening a pipe must not wait
  if (file < 0) return diag::system_error("cannot open " + path, errno);
  auto mapped = map(file, path);
  close(file);
  return mapped;
}

diag::Result<MappedFile> MappedFile::map(int file, const std::string& name) {
  struct stat status{};
  if (fstat(file, &status) != 0 || !S_ISREG(status.st_mode)) {
    return diag::Error{.text = name + " is not a regular file", .hint = {}};
  }
  const auto size = static_cast<size_t>(status.st_size);
  void* const memory = size != 0 ? mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file, 0) : nullptr;
  if (memory == MAP_FAILED) return diag::system_error("cannot map " + name, errno);
  MappedFile mapped(std::span(static_cast<const std::byte*>(memory), size));
  if (size != 0) mapped.watch_ = MappingWatch::start(mapped.bytes_, false);
  return mapped;
}

void MappedFile::release(size_t begin, size_t end) const {
  const auto page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
  begin = begin / page * page;  // if mappings share a page, the shared page must stay mapped
  end = std::min(end, bytes_.size()) / page * page;
  if (begin < end) madvise(const_cast<std::byte*>(bytes_.data()) + begin, end - begin, MADV_DONTNEED);
}

void MappedFile::unmap() {
  if (watch_ != nullptr) {
    watch_->stop();
    munmap(const_cast<std::byte*>(bytes_.data()), bytes_.size());
  }
  bytes_ = {};
  watch_ = nullptr;
}

}  // namespace wperf::os
