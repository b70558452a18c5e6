// SPDX-License-Identifier: BSD-3-Clause
// An output written piece by piece. It gets its name only when it is closed and complete. Until then, and if it is
// discarded, the old file stays (new_file.h). A failed write is reported at the end.
#pragma once
#include <cstddef>
#include <cstdio>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "ground/diag/result.h"
#include "ground/os/new_file.h"

namespace wperf::os {

class OutputFile {
 public:
  // Writes bytes unchanged.
  static diag::Result<OutputFile> create(const std::string& path, Readers readers = Readers::usual);
  // Writes text, with the line ends of the system.
  static diag::Result<OutputFile> create_text(const std::string& path);

  void write(std::span<const std::byte> bytes);
  void write(std::string_view text) { write(std::as_bytes(std::span(text))); }
  diag::Result<void> close();

 private:
  struct Closer {
    void operator()(std::FILE* stream) const { static_cast<void>(std::fclose(stream)); }
  };
  OutputFile(NewFile file, std::FILE* stream) : file_(std::move(file)), stream_(stream) {}
  static diag::Result<OutputFile> open(const std::string& path, Readers readers, bool text);

  NewFile file_;
  std::unique_ptr<std::FILE, Closer> stream_;
  int error_ = 0;  // errno of the first write that failed
};

// The error for a file that was opened but could not be written completely.
diag::Error not_whole(const std::string& file, int error);

}  // namespace wperf::os
