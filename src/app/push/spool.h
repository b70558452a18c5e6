// SPDX-License-Identifier: BSD-3-Clause
// A folder with what could not be sent yet, the oldest first, never larger than it may be. Several wperf may use one at
// once: whoever holds its lock sends. Called by delivery.cpp.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "app/push/spool_entry.h"
#include "base/ints.h"
#include "ground/diag/result.h"
#include "ground/os/file_lock.h"

namespace wperf::push {

class Spool {
 public:
  // The folder is made where it is missing, for its owner alone.
  static diag::Result<Spool> open(const std::string& folder, u64 limit_bytes);

  // Dropped to make room: those that waited longest.
  struct Added {
    std::string file;  // its name in the folder
    u64 dropped = 0, dropped_bytes = 0;
  };
  diag::Result<Added> add(const SpoolEntry& entry);
  // Names of files, the oldest first.
  std::vector<std::string> files() const;
  // Nothing: it is gone.
  std::optional<diag::Result<SpoolEntry>> read(const std::string& file) const;
  void remove(const std::string& file) const;
  // It stays in the folder under a name that is not sent, until its room is needed. Says under which.
  std::string set_aside(const std::string& file) const;
  // Nothing: another wperf sends.
  diag::Result<std::optional<os::FileLock>> lock() const;
  const std::string& folder() const { return folder_; }

 private:
  Spool(std::string folder, u64 limit_bytes) : folder_(std::move(folder)), limit_bytes_(limit_bytes) {}
  void make_room(u64 bytes, Added& added) const;

  std::string folder_;
  u64 limit_bytes_;
  u32 added_ = 0;
};

}  // namespace wperf::push
