// SPDX-License-Identifier: BSD-3-Clause
// The file of a recording: the named one, or one without a name in the folder for temporary files, which is removed
// with this object. If writing fails, complete records stay. Sessions and their threads use it one after the other.
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
  // An empty `path` means a file without a name. Otherwise it has its name at once and replaces an existing file: if
  // the recorder is killed, the part written until then stays.
  static diag::Result<RecordingFile> create(const std::string& path);
  ~RecordingFile();
  RecordingFile(RecordingFile&& other) noexcept
      : handle_(std::exchange(other.handle_, kClosed)),
        path_(std::move(other.path_)),
        unnamed_(std::exchange(other.unnamed_, {})),
        size_(other.size_),
        trouble_(std::move(other.trouble_)) {}
  RecordingFile& operator=(RecordingFile&&) = delete;

  // Appends all bytes, or none. After a failure it does nothing.
  void append(std::string_view bytes);
  void append(std::span<const std::byte> first, std::span<const std::byte> second);
  // Replaces the first bytes. Their space exists already, so this is tried even after a failure.
  void replace_beginning(std::string_view bytes);
  // Ends the writing. Some systems allow reading the file only after that.
  void close();

  u64 size() const { return size_; }
  const std::optional<diag::Error>& trouble() const { return trouble_; }
  // The file can be opened under this name as long as this object lives.
  std::string openable_path() const;

 private:
  static constexpr std::intptr_t kClosed = -1;
  RecordingFile(std::intptr_t handle, std::string path, std::string unnamed)
      : handle_(handle), path_(std::move(path)), unnamed_(std::move(unnamed)) {}
  void fail(int error);

  std::intptr_t handle_ = kClosed;
  std::string path_;     // empty: without a name
  std::string unnamed_;  // the path of a file without a name, on systems where it needs one
  u64 size_ = 0;
  std::optional<diag::Error> trouble_;
};

}  // namespace wperf::os
