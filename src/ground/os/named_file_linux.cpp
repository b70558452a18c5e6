// SPDX-License-Identifier: BSD-3-Clause
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <string_view>

#include "ground/os/named_file.h"

namespace wperf::os {
namespace {

// A user who became root by sudo still counts as that user.
bool is_users(uid_t owner) {
  const uid_t user = geteuid();
  if (owner == user) return true;
  const char* const caller = user == 0 ? std::getenv("SUDO_UID") : nullptr;
  if (caller == nullptr) return false;
  const std::string_view text = caller;
  uid_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size() && owner == number;
}

HeldFile::State state_of(const struct stat& found, NamedUse use, bool is_trusted) {
  if (!S_ISREG(found.st_mode)) return HeldFile::State::no_file;
  if (is_trusted || use == NamedUse::checked || is_users(found.st_uid)) return HeldFile::State::good;
  if (found.st_uid != 0) return HeldFile::State::of_others;
  const bool is_secret = use == NamedUse::shown && (found.st_mode & S_IROTH) == 0;
  return is_secret ? HeldFile::State::secret : HeldFile::State::good;
}

}  // namespace

HeldFile::HeldFile(const std::string& path, NamedUse use, bool is_trusted) : path_(path) {
  const auto fail = [&] {
    error_ = errno;
    state_ = error_ == ENOENT || error_ == ENOTDIR ? State::absent : State::unreadable;
  };
  struct stat found{};
  if (stat(path.c_str(), &found) != 0) {
    fail();
    return;
  }
  // A device is not opened, because opening it may already have an effect.
  state_ = state_of(found, use, is_trusted);
  if (state_ != State::good) return;
  handle_ = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  if (handle_ == kNone || fstat(static_cast<int>(handle_), &found) != 0) {
    fail();
    return;
  }
  state_ = state_of(found, use, is_trusted);  // checked again, because another file may have this name by now
}

diag::Result<MappedFile> HeldFile::map() const {
  return MappedFile::open_descriptor(static_cast<int>(handle_), path_);
}

HeldFile::~HeldFile() {
  if (handle_ != kNone) ::close(static_cast<int>(handle_));
}

}  // namespace wperf::os
