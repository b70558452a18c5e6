// SPDX-License-Identifier: BSD-3-Clause
// A folder of profiles that could not be sent yet, the oldest first, never larger than allowed. Several wperf may use
// one at once: the holder of its lock sends.
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/push/parcel.h"
#include "base/ints.h"
#include "ground/diag/result.h"
#include "ground/os/files.h"

namespace wperf::push {

// A file of the spool as bytes: a few lines with the destination of the parcel, an empty one, the body. Pure; the token
// is not in it. docs/design/push.md has the form.
struct SpoolEntry {
  std::string server;  // its address
  std::string tenant;  // empty: none
  std::string name;    // a name of the contents, for people
  Parcel parcel;
};

std::string entry_bytes(const SpoolEntry& entry);
// Damage of any kind is an error.
diag::Result<SpoolEntry> read_entry(std::string_view bytes);

class Spool {
 public:
  // A missing folder is made, accessible only to its owner.
  static diag::Result<Spool> open(const std::string& folder, u64 limit_bytes);

  // Dropped to make room: the oldest ones.
  struct Added {
    std::string file;  // its name in the folder
    u64 dropped = 0, dropped_bytes = 0;
  };
  diag::Result<Added> add(const SpoolEntry& entry);
  // Names of files, the oldest first.
  std::vector<std::string> files() const;
  // nullopt if it is gone.
  std::optional<diag::Result<SpoolEntry>> read(const std::string& file) const;
  void remove(const std::string& file) const;
  // It stays in the folder under a name that is not sent, until its room is needed. Says under which.
  std::string set_aside(const std::string& file) const;
  // nullopt if another wperf sends.
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
