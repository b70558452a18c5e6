// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/recording/unpacked_file.h"

namespace wperf::recording {

diag::Result<UnpackedFile> UnpackedFile::create(const std::function<void(const packing::TakePiece& take)>& unpack) {
  WPERF_TRY(os::RecordingFile file, os::RecordingFile::create({}));
  unpack([&](std::span<const std::byte> piece) {
    file.append({reinterpret_cast<const char*>(piece.data()), piece.size()});
    return !file.trouble().has_value();
  });
  file.close();
  if (file.trouble().has_value()) return *file.trouble();
  WPERF_TRY(os::MappedFile mapped, os::MappedFile::open(file.openable_path()));
  return UnpackedFile(std::move(file), std::move(mapped));
}

}  // namespace wperf::recording
