// SPDX-License-Identifier: BSD-3-Clause
#include "sim/nt/folder_watches.h"

#include <algorithm>
#include <cstring>

#include "sim/nt/wide_strings.h"

namespace wperf::sim::nt {
namespace {

constexpr u64 kNameAt = 12;  // in FILE_NOTIFY_INFORMATION

// A name in UTF-8 never needs more bytes than this in UTF-16.
u64 most_bytes_of(const FolderChange& change) {
  return kNameAt + 2 * change.name.size() + 3;
}

void keep(FolderWatch& watch, const FolderChange& change, std::string_view name) {
  if (watch.lost) return;
  if (change.action == FolderChange::Action::modified && !watch.changes.empty()) {
    const FolderChange& last = watch.changes.back();
    if (last.action == change.action && last.name == name) return;
  }
  watch.changes.push_back({change.action, change.about, std::string(name)});
  watch.bytes += most_bytes_of(watch.changes.back());
  if (watch.bytes <= watch.most) return;
  watch.changes.clear();
  watch.lost = true;
}

}  // namespace

std::string FolderWatches::key_of(std::string_view root, std::string_view folder) {
  return std::string(root) + "|" + in_lower_case(folder);
}

bool FolderWatches::add(std::shared_ptr<FolderWatch> watch) {
  if (count_ == kMost) return false;
  ++count_;
  watches_[watch->key].push_back(std::move(watch));
  return true;
}

void FolderWatches::remove(const FolderWatch& watch) {
  const auto found = watches_.find(watch.key);
  if (found == watches_.end()) return;
  count_ -= std::erase_if(found->second, [&](const auto& one) { return one.get() == &watch; });
  if (found->second.empty()) watches_.erase(found);
}

std::vector<std::shared_ptr<FolderWatch>> FolderWatches::all() const {
  std::vector<std::shared_ptr<FolderWatch>> out;
  for (const auto& [key, watches] : watches_) out.insert(out.end(), watches.begin(), watches.end());
  return out;
}

std::vector<std::shared_ptr<FolderWatch>> FolderWatches::note(std::string_view root,
                                                              const std::vector<FolderChange>& changes) {
  std::vector<std::shared_ptr<FolderWatch>> reached;
  for (usize index = 0; index < changes.size() && count_ != 0; ++index) {
    const FolderChange& change = changes[index];
    bool is_parent = true;
    for (usize end = change.name.rfind('\\'); end != std::string::npos && end >= kGuestFolder.size();
         end = change.name.rfind('\\', end - 1)) {
      const auto found = watches_.find(key_of(root, std::string_view(change.name).substr(0, end)));
      for (usize at = 0; found != watches_.end() && at < found->second.size(); ++at) {
        FolderWatch& watch = *found->second[at];
        if ((watch.about & change.about) == 0 || (!is_parent && !watch.below)) continue;
        keep(watch, change, std::string_view(change.name).substr(end + 1));
        reached.push_back(found->second[at]);
      }
      is_parent = false;
    }
  }
  std::ranges::sort(reached);
  const auto rest = std::ranges::unique(reached);
  reached.erase(rest.begin(), rest.end());
  return reached;
}

bool take_changes(FolderWatch& watch, u64 room, std::vector<std::byte>& out) {
  out.clear();
  usize last = 0;
  for (const FolderChange& change : watch.changes) {
    const std::vector<u16> units = to_utf16(change.name);
    const usize at = (out.size() + 3) / 4 * 4, size = units.size() * sizeof(u16);
    const u32 distance = static_cast<u32>(at - last);
    if (!out.empty()) std::memcpy(out.data() + last, &distance, sizeof distance);
    const u32 header[3] = {0, static_cast<u32>(change.action), static_cast<u32>(size)};
    static_assert(sizeof header == kNameAt);
    out.resize(at + kNameAt + size);
    std::memcpy(out.data() + at, header, sizeof header);
    if (size != 0) std::memcpy(out.data() + at + kNameAt, units.data(), size);
    last = at;
  }
  const bool fits = !watch.lost && out.size() <= room;
  watch.changes.clear();
  watch.bytes = 0;
  watch.lost = false;
  return fits;
}

}  // namespace wperf::sim::nt
