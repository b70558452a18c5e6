// SPDX-License-Identifier: BSD-3-Clause
// The functions of large ELF files, kept by build id in the user's cache folder: the next report searches these files
// in place instead of reading symbol tables. WPERF_SYMBOL_CACHE=off turns it off. For several threads at once.
#pragma once
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include "code/symbols/elf/function_cache.h"
#include "ground/os/mapped_file.h"

namespace wperf::modules {

class FunctionFiles {
 public:
  using LogCallback = std::function<void(std::string_view)>;
  // `tell` gets one whole line if nothing can be kept; may be empty.
  explicit FunctionFiles(LogCallback tell);

  // The kept file, unchecked; nullopt if there is none.
  std::optional<os::MappedFile> find(const symbols::FunctionCacheKey& key) const;
  // Keeps the functions if there are enough of them that the next report gains by it. Removes the oldest files if the
  // kept ones are too large then.
  void keep(const symbols::FunctionCacheKey& key, const symbols::ElfSymbols& functions);

 private:
  std::string path_of(const symbols::FunctionCacheKey& key) const;

  std::mutex mutex_;    // one thread writes at a time
  std::string folder_;  // empty: functions are not kept
  LogCallback tell_;
  bool has_failed_ = false;
};

}  // namespace wperf::modules
