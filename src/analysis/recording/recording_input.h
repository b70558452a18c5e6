// SPDX-License-Identifier: BSD-3-Clause
// The bytes of a recording from any source: a file, a pipe, standard input, or the folder of `perf record --threads`,
// with a file of records for each thread and one for the rest.
#pragma once
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "ground/bytes/bytes.h"
#include "ground/diag/result.h"
#include "ground/os/mapped_file.h"
#include "ground/os/recording_file.h"
#include "ground/packing/deflate.h"

namespace wperf::recording {

// Unpacked data in a file without a name, so that only the parts being read are in memory.
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

class RecordingInput {
 public:
  static diag::Result<RecordingInput> open(const std::string& path);

  bytes::Span bytes() const { return file_.has_value() ? file_->bytes() : bytes::Span(streamed_); }
  const std::vector<os::MappedFile>& further_records() const { return further_; }
  // One of the files was cut while it was read: zeros were read after its new end.
  bool has_shrunk() const;
  // These bytes are not needed for now.
  void release(u64 begin, u64 end) const {
    if (file_.has_value()) file_->release(static_cast<usize>(begin), static_cast<usize>(end));
  }

 private:
  std::optional<os::MappedFile> file_;
  std::vector<std::byte> streamed_;
  std::vector<os::MappedFile> further_;
};

}  // namespace wperf::recording
