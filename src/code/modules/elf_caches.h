// SPDX-License-Identifier: BSD-3-Clause
// The ELF part of the user's cache folder, keyed by build id: functions, and downloaded debug files.
#pragma once
#include <functional>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "code/symbols/elf/endian_bytes.h"
#include "code/symbols/elf/function_cache.h"
#include "ground/os/mapped_file.h"

namespace wperf::modules {

// The functions of large ELF files, cached by build id in the user's cache folder: the next report searches these files
// instead of reading symbol tables. WPERF_SYMBOL_CACHE=off disables the cache. Thread-safe.
class FunctionFiles {
 public:
  using LogCallback = std::function<void(std::string_view)>;
  // `tell` is called with one line of text if the cache cannot be used; it may be empty.
  explicit FunctionFiles(LogCallback tell);

  // Returns the cached file, or nullopt if the file is not in the cache. Does not check its contents.
  std::optional<os::MappedFile> find(const symbols::FunctionCacheKey& key) const;
  // Caches the functions if there are so many that the next report becomes faster. Then removes the oldest files if the
  // cache is too large.
  void keep(const symbols::FunctionCacheKey& key, const symbols::ElfSymbols& functions);

 private:
  std::string path_of(const symbols::FunctionCacheKey& key) const;

  std::mutex mutex_;    // one thread writes at a time
  std::string folder_;  // empty if functions are not cached
  LogCallback tell_;
  bool has_failed_ = false;
};

// --debuginfod: files that are downloaded by build id from the servers in DEBUGINFOD_URLS and kept in the user's cache
// folder. Used for files that are not on this machine, and only if the user requests it. Thread-safe.
enum class DownloadKind : u8 { executable, debug_information };

class DebugDownloads {
 public:
  // `tell` gets the progress. `warn` gets a warning the first time that a server fails or sends a wrong file, and each
  // time that a file cannot be saved. Both get whole lines.
  using LogCallback = std::function<void(std::string_view)>;
  // Returns nullopt if DEBUGINFOD_URLS is empty.
  static std::optional<std::vector<std::string>> servers_of_environment();
  DebugDownloads(std::vector<std::string> servers, LogCallback tell, LogCallback warn);

  // Returns the path of the file; empty if no server has it. Messages name `module`.
  std::string fetch(symbols::Bytes build_id, DownloadKind kind, std::string_view module);

 private:
  bool is_kept(const std::string& path, symbols::Bytes build_id) const;
  bool download_to(const std::string& path, const std::string& name, symbols::Bytes build_id, std::string_view module);

  std::mutex mutex_;
  std::vector<std::string> servers_;
  std::set<std::string> failing_, mistaken_, missing_, found_;
  LogCallback tell_, warn_;
};

}  // namespace wperf::modules
