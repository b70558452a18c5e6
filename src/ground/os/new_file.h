// SPDX-License-Identifier: BSD-3-Clause
// The beginning of every output: a new file in the same folder, under a name that cannot be guessed, which is moved to
// its place in one step. The old file stays until then; a link there is replaced and never followed. Only devices and
// pipes are opened where they are.
#pragma once
#include <cstdint>
#include <cstdio>
#include <string>

#include "base/ints.h"
#include "ground/diag/result.h"
#include "ground/os/unfinished_files.h"

namespace wperf::os {

enum class Readers : u8 {
  usual,  // as this user's files are
  owner,  // only the owner, as with perf: a recording shows what the user's programs do
};

class NewFile {
 public:
  static diag::Result<NewFile> make(const std::string& path, Readers readers);
  NewFile(NewFile&& other) noexcept;
  NewFile& operator=(NewFile&&) = delete;
  // Is removed unless it came to its place; where the process is ended before, see unfinished_files.h.
  ~NewFile();

  // The system's handle, for writing and reading; the caller closes it.
  std::intptr_t take_handle();
  // The same as a stream. Null, with errno set: no memory.
  std::FILE* take_stream(bool text);
  // The handle may be open still.
  diag::Result<void> move_to_place();
  const std::string& path() const { return path_; }

 private:
  static constexpr std::intptr_t kTaken = -1;
  NewFile(std::intptr_t handle, std::string path, std::string beside, UnfinishedFile unfinished)
      : handle_(handle), path_(std::move(path)), beside_(std::move(beside)), unfinished_(std::move(unfinished)) {}

  std::intptr_t handle_;
  std::string path_;
  std::string beside_;  // its path before it is moved; empty: at its final place
  UnfinishedFile unfinished_;
};

// Can an output be made there? Tried, and nothing stays of it; a device or pipe is not opened.
diag::Result<void> check_output(const std::string& path);
// A folder that only this user may enter. An existing one is not changed.
diag::Result<void> make_private_folder(const std::string& path);

}  // namespace wperf::os
