// SPDX-License-Identifier: BSD-3-Clause
// The first step of every output: a new file in the same folder, under a name that cannot be guessed. When complete, it
// replaces the old file in one step. A link with the final name is replaced and never followed. Only devices and pipes
// are opened directly.
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
  // Removes the file unless it was moved to its final name. unfinished_files.h removes it if the process is ended.
  ~NewFile();

  // The system's handle for writing and reading; the caller must close it.
  std::intptr_t take_handle();
  // Like take_handle(), but as a stream. Null, with errno set, if there is no memory.
  std::FILE* take_stream(bool text);
  // The handle may still be open.
  diag::Result<void> move_to_place();
  const std::string& path() const { return path_; }

 private:
  static constexpr std::intptr_t kTaken = -1;
  NewFile(std::intptr_t handle, std::string path, std::string temporary, UnfinishedFile unfinished)
      : handle_(handle),
        path_(std::move(path)),
        temporary_path_(std::move(temporary)),
        unfinished_(std::move(unfinished)) {}

  std::intptr_t handle_;
  std::string path_;
  std::string temporary_path_;  // its path before it is moved; empty once it is at its final place
  UnfinishedFile unfinished_;
};

// Checks whether an output can be created at this path, by creating and removing it. A device or pipe is not opened.
diag::Result<void> check_output(const std::string& path);
// Makes a folder that only this user may enter. An existing folder is not changed; an error is returned if others may
// write to it.
diag::Result<void> make_private_folder(const std::string& path);

namespace new_file {

// The parts of new_file.cpp that each system implements.

// All of these set errno when they fail, on Windows to the nearest value.
enum class Place : u8 { free_or_file, stream, folder, barred };
// Returns `barred` if another user created the file and it cannot be replaced, or if it is another user's pipe.
Place place_at(const std::string& path);
// Creates a file that must not exist yet; returns -1 if it exists or cannot be created.
std::intptr_t create(const std::string& path, Readers readers);
// Opens a device, a pipe, or the system's name of an open file (/dev/fd/3); returns -1 for any other kind of file, or
// if it may not be written to.
std::intptr_t open_stream(const std::string& path);
bool may_write_stream(const std::string& path);
std::FILE* stream_of(std::intptr_t handle, bool text);  // Takes over the handle.
void close(std::intptr_t handle);
void remove(const std::string& path);
bool rename(const std::string& from, const std::string& to);  // replaces an existing file
bool make_folder(const std::string& path);  // for its owner only; false if it exists already or cannot be created
// Is it this user's folder, and may nobody else write to it? On Windows, the folders above a user's own folders already
// restrict access.
bool is_own_folder(const std::string& path);

}  // namespace new_file

}  // namespace wperf::os
