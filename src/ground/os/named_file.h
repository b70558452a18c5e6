// SPDX-License-Identifier: BSD-3-Clause
// The door for all that a file names and no user did: modules and dumps of a recording, separate and split debug
// information, PDBs, sources. Whoever made that file chose the names. So no network path is opened, which would tell
// that machine who asks; nothing but an ordinary file; and of other users' files only what is checked afterwards.
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

// Of Windows or of this system: shares, URLs, and the ways to spell a device. "\\?\C:\x" is none of them.
bool is_network_path(std::string_view path);

enum class NamedUse : u8 {
  checked,  // its id or checksum is compared with what is known: whose it is says nothing more
  read,     // it must be this user's or the system's
  shown,    // and its text is printed: what not everybody may read must be this user's
};

// Nothing: there is none. What lies below `folders`, which the user named, is opened whosesoever it is.
diag::Result<std::optional<MappedFile>> open_named_file(const std::string& path, NamedUse use,
                                                        std::span<const std::string> folders);

// Does `path` lie below `folder`, by their texts?
bool is_below(const std::string& path, const std::string& folder);

// A file that is open while its owner is looked at and its bytes are mapped. What each system does in its own way.
class HeldFile {
 public:
  enum class State : u8 { absent, unreadable, no_file, of_others, secret, good };

  HeldFile(const std::string& path, NamedUse use, bool is_trusted);
  ~HeldFile();
  HeldFile(const HeldFile&) = delete;
  HeldFile& operator=(const HeldFile&) = delete;

  State state() const { return state_; }
  int error() const { return error_; }               // errno of one that is unreadable
  const std::string& path() const { return path_; }  // where the very same file can be opened again

 private:
  static constexpr std::intptr_t kNone = -1;
  std::intptr_t handle_ = kNone;
  std::string path_;
  State state_ = State::absent;
  int error_ = 0;
};

}  // namespace wperf::os
