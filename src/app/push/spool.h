// SPDX-License-Identifier: BSD-3-Clause
// A folder with profiles that could not be sent yet, of limited size. Several wperf processes can use it at the same
// time; the process with its lock sends.
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/push/upload.h"
#include "base/ints.h"
#include "ground/diag/result.h"
#include "ground/os/files.h"

namespace wperf::push {

// A file of the spool as bytes: a few lines with the destination of the upload, an empty line, and the body. Pure; it
// does not contain the token. docs/design/push.md describes it.
struct SpoolEntry {
  std::string server;  // address of the server
  std::string tenant;  // of --tenant; may be empty
  std::string name;    // describes the contents, for messages
  Upload upload;
};

std::string entry_bytes(const SpoolEntry& entry);
// Returns an error for damage of any kind.
diag::Result<SpoolEntry> read_entry(std::string_view bytes);

class Spool {
 public:
  // If the folder is missing, it is created with access only for its owner.
  static diag::Result<Spool> open(const std::string& folder, u64 limit_bytes);

  // `dropped`: number of the oldest files that were dropped to make room.
  struct Added {
    std::string file;  // name in the folder
    u64 dropped = 0, dropped_bytes = 0;
  };
  diag::Result<Added> add(const SpoolEntry& entry);
  // Names of the files, oldest first.
  std::vector<std::string> files() const;
  // Returns nullopt if the file is gone.
  std::optional<diag::Result<SpoolEntry>> read(const std::string& file) const;
  void remove(const std::string& file) const;
  // Renames the file so that it is not sent; it remains in the folder until its space is needed. Returns the new name.
  std::string set_aside(const std::string& file) const;
  // Returns nullopt if another wperf is sending.
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
