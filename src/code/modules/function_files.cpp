// SPDX-License-Identifier: BSD-3-Clause
#include "code/modules/function_files.h"

#include <fmt/format.h>

#include "ground/os/files.h"
#include "ground/os/folder_limit.h"
#include "ground/os/process.h"

namespace wperf::modules {
namespace {

// Tables of fewer are read as fast as a file is looked for and checked.
constexpr size_t kFewestFunctions = 4096;
constexpr u64 kMostKeptBytes = 512 << 20;

std::string function_folder() {
  const std::string folder = os::symbol_cache_folder();
  if (folder.empty() || os::environment("WPERF_SYMBOL_CACHE") == "off") return {};
  return folder + "/functions";
}

}  // namespace

FunctionFiles::FunctionFiles(LogCallback tell) : folder_(function_folder()), tell_(std::move(tell)) {}

// By sizes too: an image with and without its debug file at hand has other functions.
std::string FunctionFiles::path_of(const symbols::FunctionCacheKey& key) const {
  if (folder_.empty() || key.build_id.empty() || key.build_id.size() > symbols::FunctionCacheKey::kLongestBuildId) {
    return {};
  }
  return fmt::format("{}/{}-{:x}-{:x}", folder_, symbols::build_id_text(key.build_id), key.image_size, key.debug_size);
}

std::optional<os::MappedFile> FunctionFiles::find(const symbols::FunctionCacheKey& key) const {
  const std::string path = path_of(key);
  if (path.empty() || !os::file_exists(path)) return {};
  auto mapped = os::MappedFile::open(path);
  if (!mapped.has_value()) return {};
  return std::move(mapped).value();
}

void FunctionFiles::keep(const symbols::FunctionCacheKey& key, const symbols::ElfSymbols& functions) {
  const std::string path = path_of(key);
  if (path.empty() || functions.all().size() < kFewestFunctions) return;
  const std::lock_guard lock(mutex_);
  if (has_failed_) return;
  const std::vector<std::byte> bytes = symbols::FunctionCache::write(functions, key);
  if (bytes.empty()) return;
  const auto saved = os::save_with_folders(path, bytes);
  if (saved.has_value()) {
    os::remove_oldest_files(folder_, kMostKeptBytes);
    return;
  }
  has_failed_ = true;
  if (tell_) tell_(fmt::format("symbols cannot be cached for the next report: {}", saved.error().text));
}

}  // namespace wperf::modules
