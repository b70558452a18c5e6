// SPDX-License-Identifier: BSD-3-Clause
#include <aclapi.h>
#include <windows.h>

#include <algorithm>
#include <cerrno>
#include <iterator>
#include <system_error>
#include <vector>

#include "ground/os/files.h"
#include "ground/os/handles_win.h"
#include "ground/os/named_file.h"

namespace wperf::os {
namespace {

bool is_users(PSID owner) {
  HANDLE token = nullptr;
  if (OpenProcessToken(GetCurrentProcess(), TOKEN_QUERY, &token) == 0) return false;
  DWORD size = 0;
  GetTokenInformation(token, TokenUser, nullptr, 0, &size);
  std::vector<std::byte> room(size);
  const bool known = size != 0 && GetTokenInformation(token, TokenUser, room.data(), size, &size) != 0;
  CloseHandle(token);
  return known && EqualSid(reinterpret_cast<const TOKEN_USER*>(room.data())->User.Sid, owner) != 0;
}

// Administrators, the system, and services such as the installer of Windows; also Everyone, on disks without owners.
bool is_systems(PSID owner) {
  for (const WELL_KNOWN_SID_TYPE known : {WinBuiltinAdministratorsSid, WinLocalSystemSid, WinWorldSid}) {
    if (IsWellKnownSid(owner, known) != 0) return true;
  }
  constexpr DWORD kServices = 80;  // S-1-5-80-…
  const SID_IDENTIFIER_AUTHORITY nt = SECURITY_NT_AUTHORITY;
  const auto& authority = *GetSidIdentifierAuthority(owner);
  return std::equal(std::begin(nt.Value), std::end(nt.Value), std::begin(authority.Value)) &&
         *GetSidSubAuthorityCount(owner) != 0 && *GetSidSubAuthority(owner, 0) == kServices;
}

bool is_of_others(HANDLE file) {
  PSID owner = nullptr;
  PSECURITY_DESCRIPTOR descriptor = nullptr;
  const DWORD error =
      GetSecurityInfo(file, SE_FILE_OBJECT, OWNER_SECURITY_INFORMATION, &owner, nullptr, nullptr, nullptr, &descriptor);
  const bool others = error != ERROR_SUCCESS || (owner != nullptr && !is_users(owner) && !is_systems(owner));
  if (descriptor != nullptr) LocalFree(descriptor);
  return others;
}

}  // namespace

// While it is open, no other program can write to it, move it or remove it.
HeldFile::HeldFile(const std::string& path, NamedUse use, bool is_trusted) : path_(path) {
  const HANDLE file = CreateFileW(native_path(path).c_str(), GENERIC_READ, FILE_SHARE_READ | FILE_SHARE_DELETE, nullptr,
                                  OPEN_EXISTING, FILE_ATTRIBUTE_NORMAL, nullptr);
  if (file == INVALID_HANDLE_VALUE) {
    const auto error = static_cast<int>(GetLastError());
    error_ = std::error_code(error, std::system_category()).default_error_condition().value();
    state_ = error_ == ENOENT || error == ERROR_INVALID_NAME ? State::absent : State::unreadable;
    return;
  }
  handle_ = reinterpret_cast<std::intptr_t>(file);
  if (GetFileType(file) != FILE_TYPE_DISK) {
    state_ = State::no_file;
  } else {
    const bool must_be_trusted = !is_trusted && use != NamedUse::checked;
    state_ = must_be_trusted && is_of_others(file) ? State::of_others : State::good;
  }
}

diag::Result<MappedFile> HeldFile::map() const {
  return MappedFile::open_as(path_, path_);
}

HeldFile::~HeldFile() {
  if (handle_ != kNone) CloseHandle(handle_of(handle_));
}

}  // namespace wperf::os
