// SPDX-License-Identifier: BSD-3-Clause
// The file of a recording. It has the requested name, or it is an unnamed temporary file that is removed with this
// object. If writing fails, the file still has only complete records. Sessions and their threads use it in turn, never
// at the same time.
#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "base/ints.h"
#include "ground/diag/result.h"

namespace wperf::os {

class RecordingFile {
 public:
  // An empty `path` means an unnamed file. A named file has its name from the beginning and replaces an existing file,
  // so if the recorder is killed, the part written until then is kept.
  static diag::Result<RecordingFile> create(const std::string& path);
  ~RecordingFile();
  RecordingFile(RecordingFile&& other) noexcept
      : handle_(std::exchange(other.handle_, kClosed)),
        path_(std::move(other.path_)),
        unnamed_(std::exchange(other.unnamed_, {})),
        size_(other.size_),
        error_(std::move(other.error_)) {}
  RecordingFile& operator=(RecordingFile&&) = delete;

  // Appends all bytes or nothing. After a failure it does nothing.
  void append(std::string_view bytes);
  void append(std::span<const std::byte> first, std::span<const std::byte> second);
  // Overwrites the first bytes. Their space is already allocated, so this is tried even after a failure.
  void replace_beginning(std::string_view bytes);
  // Ends the writing. On some systems the file can be read only after this.
  void close();

  u64 size() const { return size_; }
  const std::optional<diag::Error>& error() const { return error_; }
  // The file can be opened under this name as long as this object lives.
  std::string openable_path() const;

 private:
  static constexpr std::intptr_t kClosed = -1;
  RecordingFile(std::intptr_t handle, std::string path, std::string unnamed)
      : handle_(handle), path_(std::move(path)), unnamed_(std::move(unnamed)) {}
  void fail(int error);

  std::intptr_t handle_ = kClosed;
  std::string path_;     // empty for an unnamed file
  std::string unnamed_;  // the path of an unnamed file, on systems where it needs one
  u64 size_ = 0;
  std::optional<diag::Error> error_;
};

}  // namespace wperf::os
