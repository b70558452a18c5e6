// SPDX-License-Identifier: BSD-3-Clause
// Folders that programs watch: the changes that no call has fetched yet, and the calls that wait for changes.
#pragma once
#include <deque>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "sim/nt/objects.h"

namespace wperf::sim::nt {

struct System;

// A call that ends with the next change.
struct PendingWatch : PendingIo {
  u64 buffer = 0, length = 0;  // in the memory of the process
};

struct FolderWatch {
  std::weak_ptr<File> file;  // the folder
  std::string key;           // in FolderWatches
  u32 about = 0;             // the kinds of changes, FolderChange::k…
  bool below = false;        // also changes in its subfolders
  u64 most = 0;              // bytes of changes that are kept
  u64 bytes = 0;             // of `changes`
  bool lost = false;         // more changes happened than are kept
  std::deque<FolderChange> changes;
  std::deque<PendingWatch> calls;  // the oldest first
};

class FolderWatches {
 public:
  static constexpr usize kMost = 4096;

  // `root` identifies the folder of the host, and `folder` is a name in it. Returns the key of a folder.
  static std::string key_of(std::string_view root, std::string_view folder);

  // Returns false if there are too many.
  [[nodiscard]] bool add(std::shared_ptr<FolderWatch> watch);
  void remove(const FolderWatch& watch);
  std::vector<std::shared_ptr<FolderWatch>> all() const;

  // Keeps the changes of a folder of the host for the watches that cover them. Returns these watches.
  std::vector<std::shared_ptr<FolderWatch>> note(std::string_view root, const std::vector<FolderChange>& changes);

 private:
  std::map<std::string, std::vector<std::shared_ptr<FolderWatch>>, std::less<>> watches_;  // by key
  usize count_ = 0;
};

// Returns and removes the kept changes, as FILE_NOTIFY_INFORMATION. Returns false if they do not fit, or if there were
// too many.
[[nodiscard]] bool take_changes(FolderWatch& watch, u64 room, std::vector<std::byte>& out);

}  // namespace wperf::sim::nt
