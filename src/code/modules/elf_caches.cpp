// SPDX-License-Identifier: BSD-3-Clause
#include "code/modules/elf_caches.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "code/symbols/elf/elf_file.h"
#include "ground/os/files.h"
#include "ground/os/http.h"
#include "ground/os/mapped_file.h"
#include "ground/os/process.h"

namespace wperf::modules {
namespace {

// Smaller tables can be read as fast as a cached file can be found and checked.
constexpr size_t kFewestFunctions = 4096;
constexpr u64 kMostKeptBytes = 512 << 20;

std::string function_folder() {
  const std::string folder = os::symbol_cache_folder();
  if (folder.empty() || os::environment("WPERF_SYMBOL_CACHE") == "off") return {};
  return folder + "/functions";
}

}  // namespace

FunctionFiles::FunctionFiles(LogCallback tell) : folder_(function_folder()), tell_(std::move(tell)) {}

// The sizes are part of the key because an image has more functions if its debug file was found.
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

namespace {

// DEBUGINFOD_TIMEOUT, as elfutils defines it.
long milliseconds_for_a_file() {
  constexpr long kUsualSeconds = 90, kMostSeconds = 3600;
  long seconds = kUsualSeconds;
  const std::string text = os::environment("DEBUGINFOD_TIMEOUT").value_or("");
  std::from_chars(text.data(), text.data() + text.size(), seconds);
  return (seconds <= 0 ? kUsualSeconds : std::min(seconds, kMostSeconds)) * 1000;
}

// Rejects an answer that is not the wanted file, for example the log-in page of a proxy.
bool is_wanted(symbols::Bytes file, symbols::Bytes build_id) {
  const auto elf = symbols::ElfFile::parse(file);
  if (!elf.has_value()) return false;
  const symbols::Bytes found = elf.value().build_id();
  return std::equal(found.begin(), found.end(), build_id.begin(), build_id.end());
}

}  // namespace

std::optional<std::vector<std::string>> DebugDownloads::servers_of_environment() {
  const std::string text = os::environment("DEBUGINFOD_URLS").value_or("");
  std::vector<std::string> servers;
  for (size_t begin = 0; begin < text.size();) {
    const size_t end = std::min(text.find(' ', begin), text.size());
    std::string server = text.substr(begin, end - begin);
    while (server.ends_with('/')) server.pop_back();
    if (!server.empty()) servers.push_back(std::move(server));
    begin = end + 1;
  }
  if (servers.empty()) return {};
  return servers;
}

DebugDownloads::DebugDownloads(std::vector<std::string> servers, LogCallback tell, LogCallback warn)
    : servers_(std::move(servers)), tell_(std::move(tell)), warn_(std::move(warn)) {}

std::string DebugDownloads::fetch(symbols::Bytes build_id, DownloadKind kind, std::string_view module) {
  // Shorter texts are not build ids; longer ones would make file names that are too long for file systems.
  constexpr size_t kShortest = 8, kLongest = 64;
  const std::string folder = os::symbol_cache_folder();
  if (folder.empty() || build_id.size() < kShortest || build_id.size() > kLongest) return {};
  const std::string name =
      symbols::build_id_text(build_id) + (kind == DownloadKind::executable ? "/executable" : "/debuginfo");
  const std::string path = folder + "/debuginfod/" + name;
  const std::lock_guard lock(mutex_);
  if (missing_.contains(name)) return {};
  if (found_.contains(name) || is_kept(path, build_id) || download_to(path, name, build_id, module)) {
    found_.insert(name);
    return path;
  }
  missing_.insert(name);
  return {};
}

// A cached file that is damaged, or has another build id, is downloaded again.
bool DebugDownloads::is_kept(const std::string& path, symbols::Bytes build_id) const {
  if (!os::file_exists(path)) return false;
  const auto kept = os::MappedFile::open(path);
  if (kept.has_value() && is_wanted(kept.value().bytes(), build_id)) return true;
  os::remove_file(path);
  return false;
}

bool DebugDownloads::download_to(const std::string& path, const std::string& name, symbols::Bytes build_id,
                                 std::string_view module) {
  for (const std::string& server : servers_) {
    if (failing_.contains(server)) continue;
    tell_(fmt::format("{}: asking {}", module, server));
    const auto answer =
        os::download(fmt::format("{}/buildid/{}", server, name), {.whole_ms = milliseconds_for_a_file()});
    if (!answer.has_value()) {
      failing_.insert(server);
      warn_("warning: " + answer.error().text + "; this server is not asked again");
      continue;
    }
    if (!answer.value().has_value()) continue;
    if (!is_wanted(*answer.value(), build_id)) {
      if (mistaken_.insert(server).second) {
        warn_(fmt::format("warning: {} did not send the file of build {}; the answer is discarded", server,
                          symbols::build_id_text(build_id)));
      }
      continue;
    }
    const auto saved = os::save_with_folders(path, *answer.value());
    if (saved.has_value()) return true;
    warn_("warning: " + saved.error().text);
  }
  return false;
}

}  // namespace wperf::modules
