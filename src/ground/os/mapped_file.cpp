// SPDX-License-Identifier: BSD-3-Clause
#include "ground/os/mapped_file.h"

#include <utility>

namespace wperf::os {

MappedFile::MappedFile(MappedFile&& other) noexcept
    : bytes_(std::exchange(other.bytes_, {})), watch_(std::exchange(other.watch_, nullptr)) {}

MappedFile& MappedFile::operator=(MappedFile&& other) noexcept {
  if (this != &other) {
    unmap();
    bytes_ = std::exchange(other.bytes_, {});
    watch_ = std::exchange(other.watch_, nullptr);
  }
  return *this;
}

MappedFile::~MappedFile() {
  unmap();
}

}  // namespace wperf::os
