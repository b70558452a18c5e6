// SPDX-License-Identifier: BSD-3-Clause
// A file written piece by piece. Replaces what was there. A write that fails is told at the end.
#pragma once
#include <cstddef>
#include <fstream>
#include <span>
#include <string>
#include <string_view>

#include "diag/result.h"

namespace wperf::os {

class OutputFile {
 public:
  // Bytes as they are.
  static diag::Result<OutputFile> create(const std::string& path);
  // Text: lines end as the system wants it.
  static diag::Result<OutputFile> create_text(const std::string& path);
  // Bytes; the file has its name only when it is closed and whole, and until then what was there stays. What is not an
  // ordinary file of this user's own (a device, a pipe, a link) is never replaced but written into.
  static diag::Result<OutputFile> create_at_once(const std::string& path);

  void write(std::span<const std::byte> bytes);
  void write(std::string_view text) { write(std::as_bytes(std::span(text))); }
  diag::Result<void> close();

 private:
  OutputFile(std::string path, std::string opened) : path_(std::move(path)), opened_(std::move(opened)) {}
  static diag::Result<OutputFile> create(const std::string& path, const std::string& opened, std::ios::openmode mode);

  std::string path_;
  std::string opened_;  // another one than path_ until the file is whole
  std::ofstream file_;
  int error_ = 0;  // errno of the first write that failed
};

// The error of a file that could be opened and not be written to its end.
diag::Error not_whole(const std::string& file, int error);

}  // namespace wperf::os
