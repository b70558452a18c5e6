// SPDX-License-Identifier: BSD-3-Clause
#include "os/output_file.h"

#include "os/native_path.h"

namespace wperf::os {

diag::Result<OutputFile> OutputFile::create(const std::string& path) {
  OutputFile output(path);
  output.file_.open(native_path(path), std::ios::trunc | std::ios::binary);
  if (!output.file_) return diag::Error{.text = "cannot write " + path, .hint = {}};
  return output;
}

void OutputFile::write(std::span<const std::byte> bytes) {
  file_.write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
}

diag::Result<void> OutputFile::close() {
  file_.flush();
  const bool whole = file_.good();
  file_.close();
  if (!whole) return diag::Error{.text = "cannot write " + path_ + ", or not all of it", .hint = "is the disk full?"};
  return {};
}

}  // namespace wperf::os
