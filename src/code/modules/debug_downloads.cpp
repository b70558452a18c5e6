// SPDX-License-Identifier: BSD-3-Clause
#include "code/modules/debug_downloads.h"

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

// DEBUGINFOD_TIMEOUT, as elfutils has it.
long milliseconds_for_a_file() {
  constexpr long kUsualSeconds = 90, kMostSeconds = 3600;
  long seconds = kUsualSeconds;
  const std::string text = os::environment("DEBUGINFOD_TIMEOUT").value_or("");
  std::from_chars(text.data(), text.data() + text.size(), seconds);
  return (seconds <= 0 ? kUsualSeconds : std::min(seconds, kMostSeconds)) * 1000;
}

// Rejects an answer that is not the file, for example the log-in page of a proxy.
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
  // Shorter ones are not build ids, and longer ones make names that no file system takes.
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

// A kept file that is damaged, or has another build id, is downloaded once more.
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
