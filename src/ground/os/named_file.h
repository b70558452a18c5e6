// SPDX-License-Identifier: BSD-3-Clause
// Opens files that another file names, not the user: modules and dumps of a recording, separate and split debug
// information, PDBs, sources. The author of that file chose the names, so no network path is opened: that would reveal
// the user to another machine. Only ordinary files are opened. Files of other users are opened only if they are checked
// afterwards.
#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/ints.h"
#include "ground/diag/result.h"
#include "ground/os/mapped_file.h"

namespace wperf::os {

// Is it a network path, by the rules of Windows or of this system? Shares, URLs and device paths are; "\\?\C:\x" is
// not.
bool is_network_path(std::string_view path);

enum class NamedUse : u8 {
  checked,  // its id or checksum is compared afterwards, so the owner does not matter
  read,     // it must belong to this user or the system
  shown,    // its text is printed, so the file must belong to this user or be readable by everybody
};

// Returns nullopt if there is no such file. Files below `folders`, which the user named, are opened whoever owns them.
diag::Result<std::optional<MappedFile>> open_named_file(const std::string& path, NamedUse use,
                                                        std::span<const std::string> folders);

// Is `path` inside `folder`? Only the texts are compared.
bool is_below(const std::string& path, const std::string& folder);

// A file that stays open while its owner is checked and its bytes are mapped. Implemented for each system.
class HeldFile {
 public:
  enum class State : u8 { absent, unreadable, no_file, of_others, secret, good };

  HeldFile(const std::string& path, NamedUse use, bool is_trusted);
  ~HeldFile();
  HeldFile(const HeldFile&) = delete;
  HeldFile& operator=(const HeldFile&) = delete;

  State state() const { return state_; }
  int error() const { return error_; }   // errno of a file that cannot be read
  diag::Result<MappedFile> map() const;  // for a file that may be read

 private:
  static constexpr std::intptr_t kNone = -1;
  std::intptr_t handle_ = kNone;
  std::string path_;
  State state_ = State::absent;
  int error_ = 0;
};

}  // namespace wperf::os
