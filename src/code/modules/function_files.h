// SPDX-License-Identifier: BSD-3-Clause
// The functions of large ELF files, kept by build id in the user's cache folder: the next report searches them where
// they lie instead of reading symbol tables. WPERF_SYMBOL_CACHE=off switches that off. Asked by elf_files.cpp, made by
// those who load files to name many addresses. For several threads at once.
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
  // `tell` gets one whole line when nothing can be kept; may be empty.
  explicit FunctionFiles(LogCallback tell);

  // What was kept, unchecked; nothing when nothing was.
  std::optional<os::MappedFile> find(const symbols::FunctionCacheKey& key) const;
  // Where there are enough functions that the next report gains by it. Removes what was written longest ago if there is
  // too much then.
  void keep(const symbols::FunctionCacheKey& key, const symbols::ElfSymbols& functions);

 private:
  std::string path_of(const symbols::FunctionCacheKey& key) const;

  std::mutex mutex_;    // one writes at a time
  std::string folder_;  // empty: nothing is kept
  LogCallback tell_;
  bool has_failed_ = false;
};

}  // namespace wperf::modules
