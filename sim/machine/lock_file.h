// SPDX-License-Identifier: BSD-3-Clause
// The simulated driver's lock, shared by all wperf processes of this user: a small file in the user's runtime folder
// that holds the driver's LockState. Each client works on a copy during its turn: begin() reads it under a byte-range
// lock, end() writes it back. Each client also holds an (open file description) lock on a byte that belongs to it. The
// kernel drops that lock when the process dies for any reason, so others notice its death. One object = one client,
// used by one thread.
#pragma once
#include <memory>
#include <string>

#include "driver/core/core.h"

namespace wperf::sim {

struct LockFileError {
  std::string text;  // empty = fine
  std::string hint;
};

class LockFile {
 public:
  // The file is in $XDG_RUNTIME_DIR; if that is not set, it is in a folder of the user below the temporary folder.
  static std::unique_ptr<LockFile> open(const std::string& instance, LockFileError& error);
  static std::unique_ptr<LockFile> open_in(const std::string& directory, const std::string& instance,
                                           LockFileError& error);
  ~LockFile();
  LockFile(const LockFile&) = delete;
  LockFile& operator=(const LockFile&) = delete;

  driver::ClientId client() const { return client_; }

  // Waits until the file is free and reads the state; a damaged file reads as a free driver. Returns false if the file
  // cannot be used.
  bool begin(driver::LockState& state);
  void end(const driver::LockState& state);

  bool is_alive(driver::ClientId client) const;

 private:
  LockFile(int file, driver::ClientId client) : file_(file), client_(client) {}

  int file_;
  driver::ClientId client_;
};

}  // namespace wperf::sim
