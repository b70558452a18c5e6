// SPDX-License-Identifier: BSD-3-Clause
// How every output begins: as a new file beside its place, under a name that nobody can guess, and moved to its place
// in one step. What lies there stays until then; a link there is replaced and never followed. Only devices and pipes
// are opened where they are. Called by output_file and recording_file.
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
  owner,  // nobody else, as perf does it: a recording tells what somebody's programs do
};

class NewFile {
 public:
  static diag::Result<NewFile> make(const std::string& path, Readers readers);
  NewFile(NewFile&& other) noexcept;
  NewFile& operator=(NewFile&&) = delete;
  // Is removed unless it came to its place; where the process is ended before, see unfinished_files.h.
  ~NewFile();

  // The system's handle, for writing and reading; closed by whoever took it.
  std::intptr_t take_handle();
  // The same as a stream. Null: there is no memory for one, and errno says so.
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
  std::string beside_;  // where it lies; empty: at its place
  UnfinishedFile unfinished_;
};

// Can an output be made there? Tried, and nothing stays of it; a device or pipe is not opened.
diag::Result<void> check_output(const std::string& path);
// A folder that only this user may enter. One that is there stays as it is.
diag::Result<void> make_private_folder(const std::string& path);

}  // namespace wperf::os
