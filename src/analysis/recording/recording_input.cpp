// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/recording/recording_input.h"

#include <algorithm>

#include "ground/os/files.h"

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

diag::Result<RecordingInput> RecordingInput::open(const std::string& path) {
  RecordingInput input;
  if (os::is_stream(path)) {
    WPERF_TRY(input.streamed_, os::read_stream(path));
    return input;
  }
  const bool is_folder = os::is_folder(path);
  const std::string first = is_folder ? os::join_path(path, "data") : path;
  if (is_folder && !os::file_exists(first)) {
    return diag::Error{.text = path + " is a folder without a recording: it has no file named data", .hint = {}};
  }
  WPERF_TRY(os::MappedFile file, os::MappedFile::open(first));
  input.file_.emplace(std::move(file));
  for (usize number = 0; is_folder; ++number) {
    const std::string next = first + "." + std::to_string(number);
    if (!os::file_exists(next)) break;
    WPERF_TRY(os::MappedFile further, os::MappedFile::open(next));
    input.further_.push_back(std::move(further));
  }
  return input;
}

bool RecordingInput::has_shrunk() const {
  return (file_.has_value() && file_->has_shrunk()) ||
         std::any_of(further_.begin(), further_.end(), [](const os::MappedFile& one) { return one.has_shrunk(); });
}

}  // namespace wperf::recording
