// SPDX-License-Identifier: BSD-3-Clause
// A file written piece by piece, bytes as they are. Replaces what was there. A write that fails is told at the end.
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
  static diag::Result<OutputFile> create(const std::string& path);

  void write(std::span<const std::byte> bytes);
  void write(std::string_view text) { write(std::as_bytes(std::span(text))); }
  diag::Result<void> close();

 private:
  explicit OutputFile(std::string path) : path_(std::move(path)) {}

  std::string path_;
  std::ofstream file_;
};

}  // namespace wperf::os
