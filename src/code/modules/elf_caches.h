// SPDX-License-Identifier: BSD-3-Clause
// The ELF part of the user's cache folder, by build id: functions, and debug files that were downloaded.
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
// in place instead of reading symbol tables. WPERF_SYMBOL_CACHE=off turns it off. May be used by several threads at
// once.
class FunctionFiles {
 public:
  using LogCallback = std::function<void(std::string_view)>;
  // `tell` gets one whole line if nothing can be kept; may be empty.
  explicit FunctionFiles(LogCallback tell);

  // The kept file, unchecked; nullopt if there is none.
  std::optional<os::MappedFile> find(const symbols::FunctionCacheKey& key) const;
  // Keeps the functions if there are so many that the next report is faster with them. Then removes the oldest files if
  // the cache is too large.
  void keep(const symbols::FunctionCacheKey& key, const symbols::ElfSymbols& functions);

 private:
  std::string path_of(const symbols::FunctionCacheKey& key) const;

  std::mutex mutex_;    // one thread writes at a time
  std::string folder_;  // empty if functions are not cached
  LogCallback tell_;
  bool has_failed_ = false;
};

// --debuginfod: files by build id from the servers in DEBUGINFOD_URLS, kept in the user's cache folder. Used if this
// machine has no such file; exists only if the user wants it. May be used by several threads at once.
enum class DownloadKind : u8 { executable, debug_information };

class DebugDownloads {
 public:
  // `tell` gets progress; `warn` gets each server that fails or sends a wrong file, once; both get whole lines.
  using LogCallback = std::function<void(std::string_view)>;
  // Does nothing if DEBUGINFOD_URLS is empty.
  static std::optional<std::vector<std::string>> servers_of_environment();
  DebugDownloads(std::vector<std::string> servers, LogCallback tell, LogCallback warn);

  // The path of the file; empty if no server has it. `module` names it in messages.
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
