// SPDX-License-Identifier: BSD-3-Clause
#include "code/symbols/elf/debug_files.h"

#include <algorithm>
#include <initializer_list>

namespace wperf::symbols {
namespace {

std::string folder_of(std::string_view path) {
  const usize slash = path.rfind('/');
  return slash == std::string_view::npos ? std::string(".") : std::string(path.substr(0, slash));
}

// "ab/cdef….debug"; empty if the build id is too short.
std::string build_id_file(Bytes build_id) {
  if (build_id.size() < 2) return {};
  std::string text = build_id_text(build_id);
  text.insert(2, "/");
  return text + ".debug";
}

std::string joined(std::initializer_list<std::string_view> parts) {
  std::string text;
  for (const std::string_view part : parts) text += part;
  return text;
}

// A file name from a section must not lead out of the folder to which it is appended.
bool is_plain_name(std::string_view name) {
  return !name.empty() && name.find('/') == std::string_view::npos && name != "." && name != "..";
}

}  // namespace

std::vector<DebugFileCandidate> debug_file_candidates(const DebugFileSearch& search, Bytes build_id,
                                                      std::optional<ElfDebugLink> link) {
  std::vector<DebugFileCandidate> out;
  const auto add = [&](const std::string& path, DebugFileCheck check, u32 crc) {
    const std::string in_root = search.root + path;
    if (in_root == search.root + search.image_path) return;
    const auto same = [&](const DebugFileCandidate& one) { return one.path == in_root && one.check == check; };
    if (std::none_of(out.begin(), out.end(), same)) out.push_back({in_root, check, crc});
  };
  if (const std::string name = build_id_file(build_id); !name.empty()) {
    for (const std::string& folder : search.folders) {
      add(joined({folder, "/.build-id/", name}), DebugFileCheck::build_id, 0);
    }
  }
  if (link.has_value() && is_plain_name(link->file_name)) {
    const std::string beside = folder_of(search.image_path), name(link->file_name);
    add(beside + "/" + name, DebugFileCheck::crc, link->crc);
    add(beside + "/.debug/" + name, DebugFileCheck::crc, link->crc);
    for (const std::string& folder : search.folders) {
      if (beside.starts_with('/')) add(joined({folder, beside, "/", name}), DebugFileCheck::crc, link->crc);
    }
  }
  for (const std::string& folder : search.folders) {
    if (!search.image_path.starts_with('/') || build_id.empty()) continue;
    add(folder + search.image_path + ".debug", DebugFileCheck::build_id, 0);
    add(folder + search.image_path, DebugFileCheck::build_id, 0);
  }
  return out;
}

std::vector<std::string> alternate_file_candidates(const DebugFileSearch& search, std::string_view debug_path,
                                                   const ElfAlternateLink& link) {
  std::vector<std::string> out;
  const std::string name(link.file_name);
  if (name.starts_with('/')) {
    out.push_back(search.root + name);
  } else {
    out.push_back(folder_of(debug_path) + "/" + name);
  }
  if (const std::string file = build_id_file(link.build_id); !file.empty()) {
    for (const std::string& folder : search.folders) out.push_back(joined({search.root, folder, "/.build-id/", file}));
  }
  // Debian's links are relative to the place where the debug file has its usual name: "../../../.dwz/…" below
  // /usr/lib/debug.
  if (const usize dwz = name.find(".dwz/"); dwz != std::string::npos) {
    for (const std::string& folder : search.folders) {
      out.push_back(joined({search.root, folder, "/", std::string_view(name).substr(dwz)}));
    }
  }
  return out;
}

}  // namespace wperf::symbols
