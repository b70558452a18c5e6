// SPDX-License-Identifier: BSD-3-Clause
// Opens files that another file names, not the user: modules and dumps of a recording, separate and split debug
// information, PDBs, sources. The author of that file chose the names. So no network path is opened, because that would
// reveal the user to that machine. Only ordinary files are opened, and files of other users only if they are checked
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

// By the rules of Windows or of this system: shares, URLs, and the spellings of a device. "\\?\C:\x" does not count.
bool is_network_path(std::string_view path);

enum class NamedUse : u8 {
  checked,  // its id or checksum is compared afterwards, so its owner does not matter
  read,     // it must be this user's or the system's
  shown,    // the text is printed, so a file that is not readable for all must be this user's
};

// nullopt if there is no such file. Files below `folders`, which the user named, are opened whoever owns them.
diag::Result<std::optional<MappedFile>> open_named_file(const std::string& path, NamedUse use,
                                                        std::span<const std::string> folders);

// Does `path` lie below `folder`, judging by their texts?
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
  int error() const { return error_; }   // errno of an unreadable file
  diag::Result<MappedFile> map() const;  // of a good file

 private:
  static constexpr std::intptr_t kNone = -1;
  std::intptr_t handle_ = kNone;
  std::string path_;
  State state_ = State::absent;
  int error_ = 0;
};

}  // namespace wperf::os
