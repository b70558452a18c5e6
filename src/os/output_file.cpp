// SPDX-License-Identifier: BSD-3-Clause
#include "os/output_file.h"

#include <cerrno>
#include <filesystem>
#include <system_error>

#include "os/files.h"
#include "os/native_path.h"
#include "os/process.h"

namespace wperf::os {

diag::Error not_whole(const std::string& file, int error) {
  return diag::system_error(file + " could not be written to its end", error);
}

diag::Result<OutputFile> OutputFile::create(const std::string& path) {
  return create(path, path, std::ios::binary);
}

diag::Result<OutputFile> OutputFile::create_text(const std::string& path) {
  return create(path, path, {});
}

diag::Result<OutputFile> OutputFile::create_at_once(const std::string& path) {
  const bool beside = may_be_replaced(path);
  return create(path, beside ? path + ".part" + std::to_string(process_number()) : path, std::ios::binary);
}

diag::Result<OutputFile> OutputFile::create(const std::string& path, const std::string& opened,
                                            std::ios::openmode mode) {
  OutputFile output(path, opened);
  errno = 0;
  output.file_.open(native_path(opened), std::ios::out | std::ios::trunc | mode);
  if (!output.file_) return diag::Error{.text = "cannot write " + path, .hint = {}, .system_error = errno};
  return output;
}

void OutputFile::write(std::span<const std::byte> bytes) {
  if (!file_.good()) return;
  errno = 0;
  file_.write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  if (!file_.good()) error_ = errno;
}

diag::Result<void> OutputFile::close() {
  const bool good_until_now = file_.good();
  errno = 0;
  file_.close();
  if (good_until_now && !file_.good()) error_ = errno;
  std::error_code error;
  if (!file_.good()) {
    constexpr int kUnknownReason = EIO;
    if (opened_ != path_) std::filesystem::remove(native_path(opened_), error);
    return not_whole(path_, error_ != 0 ? error_ : kUnknownReason);
  }
  if (opened_ == path_) return {};
  std::filesystem::rename(native_path(opened_), native_path(path_), error);
  if (!error) return {};
  diag::Error refused{.text = "cannot write " + path_ + ": " + error.message(),
                      .hint = {},
                      .system_error = error.default_error_condition().value()};
  std::filesystem::remove(native_path(opened_), error);
  return refused;
}

}  // namespace wperf::os
