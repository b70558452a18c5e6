// SPDX-License-Identifier: BSD-3-Clause
// The file that a recording goes into: the one that was named, or one without a name in the folder for temporary files,
// which is gone when it is closed. When it cannot be written any more, what was written whole stays. Called by the
// recording session and its thread, one after the other.
#pragma once
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "device/perf_events/counter_linux.h"
#include "device/perf_events/ring_pieces.h"

namespace wperf::perf_events {

class RecordingFile {
 public:
  // `path` empty: one without a name.
  static diag::Result<RecordingFile> create(const std::string& path);

  // Appends all of it, or nothing. After a failure nothing is written any more.
  void append(std::string_view bytes);
  void append(const RingPieces& pieces);
  // Other bytes for the first ones.
  void replace_beginning(std::string_view bytes);

  u64 size() const { return size_; }
  const std::optional<diag::Error>& trouble() const { return trouble_; }
  // Under this name the file can be opened as long as this lives.
  std::string openable_path() const;

 private:
  RecordingFile(Descriptor file, std::string path) : file_(std::move(file)), path_(std::move(path)) {}
  void append_all(std::span<const std::span<const std::byte>> pieces);
  void fail(int error);

  Descriptor file_;
  std::string path_;  // empty: has none
  u64 size_ = 0;
  std::optional<diag::Error> trouble_;
};

}  // namespace wperf::perf_events
