// SPDX-License-Identifier: BSD-3-Clause
#include "ground/os/folder_limit.h"

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <vector>

#include "ground/os/native_path.h"

namespace wperf::os {

void remove_oldest_files(const std::string& folder, std::uint64_t limit) {
  struct KeptFile {
    std::filesystem::file_time_type written;
    std::uint64_t size = 0;
    std::filesystem::path path;
  };
  std::vector<KeptFile> files;
  std::uint64_t sum = 0;
  std::error_code error;
  for (std::filesystem::directory_iterator at(native_path(folder), error), end; !error && at != end;
       at.increment(error)) {
    // A file may be gone by now, so each question has a separate error.
    std::error_code type_error, size_error, time_error;
    if (!at->is_regular_file(type_error) || type_error) continue;
    const std::uint64_t size = at->file_size(size_error);
    const auto written = at->last_write_time(time_error);
    if (size_error || time_error) continue;
    files.push_back({written, size, at->path()});
    sum += size;
  }
  if (sum <= limit) return;
  std::sort(files.begin(), files.end(), [](const KeptFile& a, const KeptFile& b) { return a.written < b.written; });
  for (const KeptFile& one : files) {
    if (sum <= limit) return;
    std::error_code remove_error;
    if (std::filesystem::remove(one.path, remove_error)) sum -= one.size;
  }
}

}  // namespace wperf::os
