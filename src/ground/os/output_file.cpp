// SPDX-License-Identifier: BSD-3-Clause
#include "ground/os/output_file.h"

#include <cerrno>

namespace wperf::os {
namespace {

int error_now() {
  return errno != 0 ? errno : EIO;  // the reason is unknown
}

}  // namespace

diag::Error not_whole(const std::string& file, int error) {
  return diag::system_error(file + " could not be written completely", error);
}

diag::Result<OutputFile> OutputFile::create(const std::string& path, Readers readers) {
  return open(path, readers, false);
}

diag::Result<OutputFile> OutputFile::create_text(const std::string& path) {
  return open(path, Readers::usual, true);
}

diag::Result<OutputFile> OutputFile::open(const std::string& path, Readers readers, bool text) {
  WPERF_TRY(NewFile file, NewFile::make(path, readers));
  std::FILE* const stream = file.take_stream(text);
  if (stream == nullptr) return diag::system_error("cannot write " + path, errno);
  return OutputFile(std::move(file), stream);
}

void OutputFile::write(std::span<const std::byte> bytes) {
  if (error_ != 0 || bytes.empty()) return;
  errno = 0;
  if (std::fwrite(bytes.data(), 1, bytes.size(), stream_.get()) != bytes.size()) error_ = error_now();
}

diag::Result<void> OutputFile::close() {
  errno = 0;
  if (std::fclose(stream_.release()) != 0 && error_ == 0) error_ = error_now();
  if (error_ != 0) return not_whole(file_.path(), error_);
  return file_.move_to_place();
}

}  // namespace wperf::os
