// SPDX-License-Identifier: BSD-3-Clause
// --debuginfod: files by build id from the servers in DEBUGINFOD_URLS, kept in the user's cache folder. Used if this
// machine has no such file; exists only if the user wants it. For several threads at once.
#pragma once
#include <functional>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "code/symbols/elf/endian_bytes.h"

namespace wperf::modules {

enum class DownloadKind : u8 { executable, debug_information };

class DebugDownloads {
 public:
  // `tell` gets progress; `warn` gets each server that fails or sends a wrong file, once; both get whole lines.
  using LogCallback = std::function<void(std::string_view)>;
  // Empty DEBUGINFOD_URLS: nothing.
  static std::optional<std::vector<std::string>> servers_of_environment();
  DebugDownloads(std::vector<std::string> servers, LogCallback tell, LogCallback warn);

  // Where the file is; empty: no server has it. `module` names it in messages.
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
