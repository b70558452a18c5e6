// SPDX-License-Identifier: BSD-3-Clause
// Real images for tests: from test_images/, and the workloads of the simulated machine. They are in the build folder,
// and exist only if there are clang and lld.
#pragma once
#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

namespace wperf::symbols {

inline std::vector<std::byte> load_bytes(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  const std::string text((std::istreambuf_iterator<char>(file)), {});
  std::vector<std::byte> bytes(text.size());
  std::transform(text.begin(), text.end(), bytes.begin(), [](char c) { return static_cast<std::byte>(c); });
  return bytes;
}

inline std::vector<std::filesystem::path> find_images(const std::vector<std::string>& folders) {
  std::vector<std::filesystem::path> out;
  for (const std::string& folder : folders) {
    std::error_code absent;
    for (const auto& entry : std::filesystem::directory_iterator(folder, absent)) {
      const std::string extension = entry.path().extension().string();
      if (extension == ".exe" || extension == ".dll") out.push_back(entry.path());
    }
  }
  std::sort(out.begin(), out.end());
  return out;
}

}  // namespace wperf::symbols
