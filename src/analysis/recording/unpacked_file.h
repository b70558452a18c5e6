// SPDX-License-Identifier: BSD-3-Clause
// Unpacked data in a file without a name, so that only the parts that are read are in memory.
#pragma once
#include <functional>

#include "ground/os/mapped_file.h"
#include "ground/os/recording_file.h"
#include "ground/packing/inflate.h"

namespace wperf::recording {

class UnpackedFile {
 public:
  // unpack(take) gives the pieces to `take`.
  static diag::Result<UnpackedFile> create(const std::function<void(const packing::TakePiece& take)>& unpack);

  std::span<const std::byte> bytes() const { return mapped_.bytes(); }
  // These bytes are not needed for now.
  void release(u64 begin, u64 end) const { mapped_.release(static_cast<usize>(begin), static_cast<usize>(end)); }

 private:
  UnpackedFile(os::RecordingFile file, os::MappedFile mapped) : file_(std::move(file)), mapped_(std::move(mapped)) {}

  os::RecordingFile file_;
  os::MappedFile mapped_;
};

}  // namespace wperf::recording
