// SPDX-License-Identifier: BSD-3-Clause
// The first step of every output: a new file in the same folder, under a name that cannot be guessed. It is moved to
// its place in one step. The old file stays until then; a link with its name is replaced and never followed. Only
// devices and pipes are opened where they are.
#pragma once
#include <cstdint>
#include <cstdio>
#include <string>

#include "base/ints.h"
#include "ground/diag/result.h"
#include "ground/os/unfinished_files.h"

namespace wperf::os {

enum class Readers : u8 {
  usual,  // like this user's other files
  owner,  // only the owner, as with perf: a recording shows what the user's programs do
};

class NewFile {
 public:
  static diag::Result<NewFile> make(const std::string& path, Readers readers);
  NewFile(NewFile&& other) noexcept;
  NewFile& operator=(NewFile&&) = delete;
  // Removed unless it was moved to its place. If the process is killed before that, see unfinished_files.h.
  ~NewFile();

  // The system's handle, for writing and reading; the caller closes it.
  std::intptr_t take_handle();
  // The same as a stream. Null, with errno set, if there is no memory.
  std::FILE* take_stream(bool text);
  // The handle may still be open.
  diag::Result<void> move_to_place();
  const std::string& path() const { return path_; }

 private:
  static constexpr std::intptr_t kTaken = -1;
  NewFile(std::intptr_t handle, std::string path, std::string beside, UnfinishedFile unfinished)
      : handle_(handle), path_(std::move(path)), beside_(std::move(beside)), unfinished_(std::move(unfinished)) {}

  std::intptr_t handle_;
  std::string path_;
  std::string beside_;  // its path before it is moved; empty once it is at its final place
  UnfinishedFile unfinished_;
};

// Can an output be made there? This is tried, and nothing of it stays; a device or pipe is not opened.
diag::Result<void> check_output(const std::string& path);
// A folder that only this user may enter. An existing one is not changed.
diag::Result<void> make_private_folder(const std::string& path);

namespace new_file {

// The parts of new_file.cpp that each system implements.

// All of these set errno when they fail, on Windows to the nearest value.
enum class Place : u8 { free_or_file, stream, folder, barred };
// `barred`: the existing file belongs to another user, and only the folder's owner may replace it.
Place place_at(const std::string& path);
// Creates a file that must not exist yet; returns -1 if it exists or cannot be created.
std::intptr_t create(const std::string& path, Readers readers);
// Opens a device, a pipe, or the system's name of an opened file; returns -1 if it is another kind of file, or may not
// be written to.
std::intptr_t open_stream(const std::string& path);
bool may_write_stream(const std::string& path);
std::FILE* stream_of(std::intptr_t handle, bool text);  // Takes over the handle.
void close(std::intptr_t handle);
void remove(const std::string& path);
bool rename(const std::string& from, const std::string& to);  // replaces an existing file
bool make_folder(const std::string& path);  // for its owner only; returns false if it exists already, or cannot be made

}  // namespace new_file

}  // namespace wperf::os
