// SPDX-License-Identifier: BSD-3-Clause
#include "code/symbols/store/symbol_search.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "ground/text/base_name.h"

namespace wperf::symbols {
namespace {

// The folder with its final slash; empty for a name without a folder.
std::string_view folder_of(std::string_view path) {
  return path.substr(0, path.size() - text::base_name(path).size());
}

std::string_view extension_of(std::string_view name) {
  const size_t dot = name.rfind('.');
  return dot == std::string_view::npos ? std::string_view{} : name.substr(dot + 1);
}

// The file name comes from an untrusted image and becomes part of paths and URLs.
bool is_safe_name(std::string_view name) {
  if (name.empty() || name.size() > 255 || name.front() == ' ' || name.back() == '.' || name.back() == ' ')
    return false;
  return std::all_of(name.begin(), name.end(), [](char c) {
    return static_cast<unsigned char>(c) >= 0x20 && std::string_view("<>:\"|?*/\\").find(c) == std::string_view::npos;
  });
}

std::string upper(std::string_view text) {
  std::string out(text);
  for (char& c : out) c = c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  return out;
}

// `below` has forward slashes; they are converted if the folder is a Windows path.
std::string join(const std::string& folder, std::string below) {
  const bool windows = folder.find('\\') != std::string::npos || (folder.size() == 2 && folder[1] == ':');
  if (windows) std::replace(below.begin(), below.end(), '/', '\\');
  const bool slashed = !folder.empty() && (folder.back() == '/' || folder.back() == '\\');
  return slashed ? folder + below : folder + (windows ? '\\' : '/') + below;
}

std::string percent_encode(std::string_view path) {
  std::string out;
  for (const char c : path) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       std::string_view("/-._~!$&'()+,;=@").find(c) != std::string_view::npos;
    if (plain) {
      out += c;
    } else {
      out += fmt::format("%{:02X}", static_cast<unsigned char>(c));
    }
  }
  return out;
}

std::string key(std::string_view name, std::string_view id, bool three_tier) {
  std::string out = three_tier ? fmt::format("{}/", name.substr(0, 2)) : std::string();
  return out + fmt::format("{}/{}/", name, id);
}

std::string compressed_name(std::string_view name) {
  return std::string(name.substr(0, name.size() - 1)) + '_';
}

constexpr char kLayoutFile[] = "index2.txt";
constexpr size_t kFirstPlace = 3;  // the earlier stages are the explicit file, the image's folder, and the path in the
                                   // image

}  // namespace

std::string id_text(const FileId& id) {
  if (const auto* image = std::get_if<ImageId>(&id))
    return fmt::format("{:08X}{:x}", image->time_stamp, image->image_size);
  const code::PdbId& pdb = std::get<code::PdbId>(id);
  std::string out = fmt::format("{:08X}{:04X}{:04X}", pdb.guid.data1, pdb.guid.data2, pdb.guid.data3);
  for (const u8 byte : pdb.guid.data4) out += fmt::format("{:02X}", byte);
  return out + fmt::format("{:x}", pdb.age);
}

std::string store_key(std::string_view file_name, const FileId& id) {
  const std::string_view name = text::base_name(file_name);
  return key(name, id_text(id), false).append(name);
}

SymbolSearch::SymbolSearch(WantedFile wanted, SearchOptions options)
    : wanted_(std::move(wanted)), options_(std::move(options)) {
  const std::string_view name = text::base_name(wanted_.name);
  if (is_safe_name(name)) file_name_ = name;
}

std::optional<Candidate> SymbolSearch::next() {
  while (!found_) {
    if (queue_.empty()) {
      if (stage_ >= kFirstPlace + options_.places.size()) break;
      start_stage();
      continue;
    }
    current_ = std::move(queue_.front());
    queue_.pop_front();
    const auto known = std::find_if(layouts_.begin(), layouts_.end(),
                                    [&](const Layout& layout) { return layout.location == current_.location; });
    if (known != layouts_.end()) {
      search_store(current_.store, known->three_tier, current_.remote);
      continue;
    }
    const bool tried = std::any_of(attempts_.begin(), attempts_.end(),
                                   [&](const Attempt& attempt) { return attempt.location == current_.location; });
    if (!tried) return current_;
  }
  return std::nullopt;
}

void SymbolSearch::start_stage() {
  const size_t stage = stage_++;
  if (stage == 0) {
    if (wanted_.explicit_path.empty()) return;
    searched_.push_back("at " + wanted_.explicit_path);
    look_at(CandidateKind::file, wanted_.explicit_path);
    queue_.back().named = wanted_.explicit_is_named;
  } else if (stage == 1) {
    if (wanted_.image_path.empty()) return;
    searched_.emplace_back("next to the image");
    const std::string folder(folder_of(wanted_.image_path));
    if (!file_name_.empty()) look_at_named(folder + file_name_);
    if (std::holds_alternative<code::PdbId>(wanted_.id)) {
      const std::string_view name = text::base_name(wanted_.image_path);
      look_at_named(folder + std::string(name.substr(0, name.rfind('.'))) + ".pdb");
    }
  } else if (stage == 2) {
    if (folder_of(wanted_.path_in_image).empty() || text::base_name(wanted_.path_in_image).empty()) return;
    // only paths: servers that are not in the symbol path are never used
    if (is_url(wanted_.path_in_image)) return;
    searched_.push_back(fmt::format("at {} (the path in the image)", wanted_.path_in_image));
    look_at_named(wanted_.path_in_image);
  } else if (!file_name_.empty()) {
    const SymbolPlace& place = options_.places[stage - kFirstPlace];
    if (const auto* folder = std::get_if<SymbolFolder>(&place)) {
      start_folder(folder->path);
    } else {
      start_server(std::get<SymbolServer>(place));
    }
  }
}

void SymbolSearch::look_at(CandidateKind kind, std::string location, std::string store, bool remote) {
  Planned candidate;
  candidate.kind = kind;
  candidate.location = std::move(location);
  candidate.remote = remote;
  candidate.store = std::move(store);
  queue_.push_back(std::move(candidate));
}

void SymbolSearch::look_at_named(std::string location) {
  look_at(CandidateKind::file, std::move(location));
  queue_.back().named = true;
}

void SymbolSearch::start_folder(const std::string& folder) {
  searched_.push_back("in " + folder);
  look_at(CandidateKind::file, join(folder, file_name_));
  const std::string kind = in_lower_case(std::string(extension_of(text::base_name(wanted_.image_path))));
  if (std::holds_alternative<code::PdbId>(wanted_.id) && is_safe_name(kind)) {
    look_at(CandidateKind::file, join(folder, fmt::format("{}/{}", kind, file_name_)));
    look_at(CandidateKind::file, join(folder, fmt::format("symbols/{}/{}", kind, file_name_)));
  }
  look_at(CandidateKind::layout, join(folder, kLayoutFile), folder);
}

void SymbolSearch::start_server(const SymbolServer& server) {
  cache_ = server.cache.empty() ? options_.default_cache : server.cache;
  if (!cache_.empty()) look_at(CandidateKind::layout, join(cache_, kLayoutFile), cache_);
  if (options_.network) {
    searched_.push_back("on " + server.url);
    look_at(CandidateKind::layout, join(server.url, kLayoutFile), server.url, true);
  } else {
    if (!cache_.empty()) searched_.push_back("in " + cache_);
    errors_.push_back(server.url + " was not asked");
  }
}

// These places are searched before the planned ones, because a store's own candidates are tried first.
void SymbolSearch::search_store(const std::string& store, bool three_tier, bool remote) {
  const std::deque<Planned> later = std::exchange(queue_, {});
  const std::string id = id_text(wanted_.id);
  const auto add = [&](std::string_view name, std::string_view id_spelled) {
    const std::string folder = key(name, id_spelled, three_tier);
    const auto place = [&](std::string_view file) {
      const std::string path = folder + std::string(file);
      return join(store, remote ? percent_encode(path) : path);
    };
    look_at(CandidateKind::file, place(name), store, remote);
    look_at(CandidateKind::compressed, place(compressed_name(name)), store, remote);
    look_at(CandidateKind::pointer, place("file.ptr"), store, remote);
  };
  add(file_name_, id);
  if (!remote) {
    // Stores are made on case-insensitive systems and read on other systems.
    if (upper(id) != id) add(file_name_, upper(id));
    const std::string small_id = in_lower_case(id), small_name = in_lower_case(file_name_);
    if (small_id != id || small_name != file_name_) add(small_name, small_id);
  }
  if (remote && !cache_.empty()) {
    const auto cached = std::find_if(layouts_.begin(), layouts_.end(), [&](const Layout& layout) {
      return layout.location == join(cache_, kLayoutFile);
    });
    const bool cache_three_tier = cached != layouts_.end() && cached->three_tier;
    const std::string target = join(cache_, key(file_name_, id, cache_three_tier) + file_name_);
    for (Planned& candidate : queue_) candidate.save_as = candidate.kind == CandidateKind::pointer ? "" : target;
  }
  queue_.insert(queue_.end(), later.begin(), later.end());
}

void SymbolSearch::absent() {
  note("not there");
  if (current_.kind != CandidateKind::layout) return;
  layouts_.push_back({current_.location, false});
  search_store(current_.store, false, current_.remote);
}

void SymbolSearch::failed(std::string why) {
  errors_.push_back(fmt::format("{}: {}", current_.remote ? current_.store : current_.location, why));
  note(std::move(why));
  if (current_.remote) {
    queue_.clear();
  } else if (current_.kind == CandidateKind::layout) {
    layouts_.push_back({current_.location, false});
    search_store(current_.store, false, current_.remote);
  }
}

bool SymbolSearch::opened(const FileId& id) {
  if (id == wanted_.id) {
    note("found");
    found_ = true;
    return true;
  }
  const std::string outcome = fmt::format("from another build ({})", id_text(id));
  errors_.push_back(fmt::format("{} is {}", current_.location, outcome));
  note(outcome);
  return false;
}

void SymbolSearch::text(std::string_view content) {
  if (current_.kind == CandidateKind::layout) {
    note("three tiers");
    layouts_.push_back({current_.location, true});
    search_store(current_.store, true, current_.remote);
  } else {
    follow_pointer(content);
  }
}

// "PATH:\\server\share\file" or "MSG: the reason why there is no file".
void SymbolSearch::follow_pointer(std::string_view content) {
  constexpr size_t kLongestPath = 4096;
  const std::string_view line = content.substr(0, std::min(content.find_first_of("\r\n"), kLongestPath));
  if (in_lower_case(std::string(line.substr(0, 4))) == "msg:") {
    failed(fmt::format("the store says: {}", line.substr(4)));
    return;
  }
  std::string path(in_lower_case(std::string(line.substr(0, 5))) == "path:" ? line.substr(5) : line);
  note("points to " + path);
  if (path.empty() || current_.remote != is_url(path)) {
    // Another machine must not select files on this one, nor redirect it.
    errors_.push_back(fmt::format("{} points to \"{}\", which is not followed", current_.location, path));
    return;
  }
  Planned candidate;
  candidate.kind = path.back() == '_' ? CandidateKind::compressed : CandidateKind::file;
  candidate.location = std::move(path);
  candidate.remote = current_.remote;
  candidate.store = current_.store;
  queue_.push_front(std::move(candidate));
}

std::string SymbolSearch::explanation() const {
  if (found_) return "found at " + current_.location;
  const char* kind = std::holds_alternative<code::PdbId>(wanted_.id) ? "PDB" : "image";
  std::string out = fmt::format("no {} found", kind);
  if (file_name_.empty()) out += fmt::format(" (\"{}\" is not a name of a file)", text::base_name(wanted_.name));
  for (size_t i = 0; i < searched_.size(); ++i) out += (i == 0 ? ": looked " : ", ") + searched_[i];
  for (const std::string& error : errors_) out += "; " + error;
  return out;
}

}  // namespace wperf::symbols
