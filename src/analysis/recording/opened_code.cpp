// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/recording/opened_code.h"

#include "ground/os/files.h"
#include "ground/os/named_file.h"

namespace wperf::recording {
namespace {

// Each is a few mapped files, and the read parts of small ones. On a machine that runs more than these, files are
// opened anew.
constexpr usize kMostFiles = 256;

}  // namespace

OpenedCode::Key OpenedCode::key_of(const perf_data::MappedCode& code) {
  return {std::string(code.path),
          std::string(reinterpret_cast<const char*>(code.build_id.data()), code.build_id.size())};
}

OpenedCode::Opened OpenedCode::state_of(const std::string& path) {
  if (os::is_network_path(path)) return {};
  const u64 size = os::file_size(path);
  return {.size = size, .changed_unix_ns = size != 0 ? os::last_change_unix_ns(path) : 0, .file = nullptr};
}

std::shared_ptr<const modules::CodeFile> OpenedCode::find(const perf_data::MappedCode& code) {
  const auto found = files_.find(key_of(code));
  if (found == files_.end()) return nullptr;
  const Opened now = state_of(found->first.first);
  if (now.size == found->second.size && now.changed_unix_ns == found->second.changed_unix_ns) return found->second.file;
  files_.erase(found);
  return nullptr;
}

std::shared_ptr<const modules::CodeFile> OpenedCode::keep(const perf_data::MappedCode& code, modules::CodeFile file) {
  auto shared = std::make_shared<const modules::CodeFile>(std::move(file));
  if (files_.size() >= kMostFiles) files_.clear();
  Key key = key_of(code);
  Opened opened = state_of(key.first);
  opened.file = shared;
  files_.insert_or_assign(std::move(key), std::move(opened));
  return shared;
}

}  // namespace wperf::recording
